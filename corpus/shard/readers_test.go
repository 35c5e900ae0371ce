package shard_test

import (
	"crypto/md5"
	"encoding/hex"
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus"
	. "github.com/decorum-crawler/decorum/corpus/shard" // its tests need documents, which need it
)

// need skips a test whose tool is not installed, except where .ci/run has
// installed it.
func need(t *testing.T, there bool, tool string) {
	t.Helper()
	switch {
	case there:
	case os.Getenv("DECORUM_CI") != "":
		t.Fatalf("needs %s, which .ci/run installs", tool)
	default:
		t.Skipf("needs %s", tool)
	}
}

// duckDB runs a query and returns its rows.
func duckDB(t *testing.T, sql string) []map[string]any {
	t.Helper()
	modules, err := filepath.Abs("../../.ci/node/node_modules")
	if err != nil {
		t.Fatal(err)
	}
	_, err = os.Stat(filepath.Join(modules, "@duckdb/node-api"))
	need(t, err == nil, "DuckDB: npm install --prefix .ci/node")
	out, err := exec.CommandContext(t.Context(), "node", "testdata/duckdb.js", modules, sql).CombinedOutput()
	if err != nil {
		t.Fatalf("%s: %v\n%s", sql, err, out)
	}
	var rows []map[string]any
	if err := json.Unmarshal(out, &rows); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	return rows
}

// files writes documents as two shards and returns a pattern that matches both.
func files(t *testing.T, format Format, all []corpus.Document) string {
	t.Helper()
	root, dir := testRoot(t)
	if got := len(write(t, root, Options{Format: format, MaxRows: len(all)/2 + 1}, all)); got != 2 {
		t.Fatalf("got %d shards, want 2", got)
	}
	return filepath.Join(dir, "documents/train=none/part-*."+string(format))
}

func TestDuckDBReadsEachFormat(t *testing.T) {
	all := documents(100)
	sum := md5.Sum([]byte(texts(all)))
	want := []map[string]any{{
		"columns": 21.0, "rows": 100.0, "ids": 100.0, "score": 37.5, "status": 20000.0, "offset": "850403524608",
		"lines": 4950.0, "mark": "f000000000000000", "cut": 50.0, "texts": hex.EncodeToString(sum[:]), "nulls": 0.0,
		"added": "TIMESTAMP", "robots": "TIMESTAMP", "last": "2026-03-01 12:00:00.1485", "spans": 300.0, "words": "BIGINT", "links": "DOUBLE",
		"fails": 100.0,
	}}
	for _, format := range formats {
		t.Run(string(format), func(t *testing.T) {
			from := "read_json('" + files(t, format, all) + "')"
			if format == Parquet {
				from = strings.Replace(from, "read_json", "read_parquet", 1)
			}
			got := duckDB(t, `SELECT (SELECT count(*) FROM (DESCRIBE SELECT * FROM `+from+`))::INTEGER AS columns,
				count(*)::INTEGER AS rows, count(DISTINCT id)::INTEGER AS ids, sum(language_score) AS score,
				sum(metadata.http_status)::INTEGER AS status, max(metadata.warc_offset)::VARCHAR AS "offset",
				sum(metadata.signals[1].line)::INTEGER AS lines, max(simhash)::VARCHAR AS mark,
				count(*) FILTER (metadata.truncated)::INTEGER AS cut, md5(string_agg(text, '|' ORDER BY id)) AS texts,
				count(*) FILTER (title IS NULL OR metadata.etag IS NULL OR near_dup_of IS NULL)::INTEGER AS nulls,
				any_value(typeof(added)) AS added, any_value(typeof(metadata.robots_fetched_at)) AS robots, max(added)::VARCHAR AS last,
				sum(languages[1].lines)::INTEGER AS spans, any_value(typeof(counts.words)) AS words, any_value(typeof(marks.links)) AS links,
				count(*) FILTER (marks.fails LIKE '%gopher.words%')::INTEGER AS fails FROM `+from)
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("-want +got:\n%s", diff)
			}
		})
	}
}

// The query of the documentation runs, on each format.
func TestDuckDBRunsTheDocumentedQuery(t *testing.T) {
	page, err := os.ReadFile("../../docs/marks.md")
	if err != nil {
		t.Fatal(err)
	}
	_, query, _ := strings.Cut(string(page), "```sql\n")
	query, _, _ = strings.Cut(query, "```")
	all := documents(100)
	for i := range all {
		if all[i].Marks.Fails, all[i].LanguageScore = "gopher.words", corpus.Score(i%3)/2; i%2 == 1 {
			all[i].Marks.Fails = "c4.sentences fineweb.short-lines"
		}
	}
	for _, format := range formats {
		from := strings.Replace(query, "corpus/documents/*/*.jsonl.gz", files(t, format, all), 1)
		if format == Parquet {
			from = strings.Replace(from, "read_json", "read_parquet", 1)
		}
		if from == query {
			t.Fatalf("%q has another file", query)
		}
		want := 0
		for i, d := range all {
			if d.LanguageScore >= 0.65 && i%2 == 0 {
				want++
			}
		}
		if got := duckDB(t, from); len(got) != want || want > 0 && got[0]["text_format"] != "plain" {
			t.Errorf("%s: got %d rows, want %d", format, len(got), want)
		}
	}
}

// The standard library of Python reads the default format.
func TestPythonReadsGzip(t *testing.T) {
	python, err := exec.LookPath("python3")
	need(t, err == nil, "python3")
	all := documents(100)
	script := `import glob, gzip, json, sys
from datetime import datetime, timezone
rows = [json.loads(line) for name in sorted(glob.glob(sys.argv[1])) for line in gzip.open(name, "rt", encoding="utf-8", newline="\n")]
shape = lambda v: {k: shape(w) for k, w in v.items()} if isinstance(v, dict) else [shape(w) for w in v] if isinstance(v, list) else type(v).__name__
shapes = {json.dumps(shape(r)) for r in rows}
last = max(datetime.fromisoformat(r["added"]) for r in rows)
assert last == datetime(2026, 3, 1, 12, 0, 0, 148500, timezone.utc), last
print(json.dumps({"rows": len(rows), "shapes": len(shapes), "words": sum(r["counts"]["words"] for r in rows), "texts": "|".join(r["text"] for r in rows)}))`
	out, err := exec.CommandContext(t.Context(), python, "-c", script, files(t, JSONLGzip, all)).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	var got, want struct {
		Rows, Shapes int
		Words        int64
		Texts        string
	}
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want.Rows, want.Shapes, want.Texts = len(all), 1, texts(all)
	for _, d := range all {
		want.Words += d.Counts.Words
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

// JavaScript reads the default format, and its dates read the times.
func TestJavaScriptReadsGzip(t *testing.T) {
	node, err := exec.LookPath("node")
	need(t, err == nil, "node")
	all := documents(100)
	out, err := exec.CommandContext(t.Context(), node, "testdata/reader.js", filepath.Dir(files(t, JSONLGzip, all))).CombinedOutput()
	if err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	type summary struct {
		Rows, Words, Lines int64
		Last, Keys, Texts  string
	}
	var got summary
	if err := json.Unmarshal(out, &got); err != nil {
		t.Fatalf("%v: %s", err, out)
	}
	want := summary{Rows: 100, Last: "2026-03-01T12:00:00.148Z", Texts: texts(all), Keys: "characters,words,lines,tokens"}
	for _, d := range all {
		want.Words += d.Counts.Words
		want.Lines += d.Languages[0].Lines
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func texts(all []corpus.Document) string {
	var texts []string
	for _, d := range all {
		texts = append(texts, d.Text)
	}
	return strings.Join(texts, "|")
}
