package main

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/content"
)

// A part of a corpus is a corpus, which verifies and says what it is a part of.
func TestCorpusExport(t *testing.T) {
	_, _, folder := buildFarm(t, "--store", "pages,warc")
	if code, _, errs := invoke("corpus", "dedupe", folder, "--near"); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	manifest, err := os.ReadFile(filepath.Join(folder, corpus.ManifestName))
	if err != nil {
		t.Fatal(err)
	}
	whole := map[string]corpus.Document{}
	for _, d := range documentsOf(t, folder) {
		whole[d.ID] = d
	}
	for where, want := range map[string]int{
		"true":                                  10,
		`url contains "/page/"`:                 6,
		`dup_of == ""`:                          9,
		`language == "en" and counts.words > 1`: 10,
		`marks.links > 0.99 or metadata.http_status != 200`: 0,
	} {
		out := filepath.Join(t.TempDir(), "part")
		code, said, errs := invoke("corpus", "export", folder, "--where", where, "-o", out)
		m := manifestOf(t, out)
		if code != exitOK || m.Counts.Documents != int64(want) || m.Counts.LeftOut != int64(10-want) || m.Exported.Where != where || m.Exported.From != content.SHA256(manifest) {
			t.Errorf("%s: got %d, %q, %q, %+v", where, code, said, errs, m)
		}
		for _, d := range documentsOf(t, out) {
			if old := whole[d.ID]; d.Text != old.Text || d.Metadata.WARCOffset != old.Metadata.WARCOffset || d.Train != old.Train {
				t.Errorf("%s: got %+v, want %+v", where, d, old)
			}
		}
		if code, said, _ := invoke("corpus", "verify", out); code != exitOK {
			t.Errorf("%s: got %d, %q", where, code, said)
		}
		if code, _, errs := invoke("corpus", "decide", out, "--policy", "token"); code != exitDirectory || !strings.Contains(errs, "export") {
			t.Errorf("%s: decide: got %d, %q", where, code, errs)
		}
		if code, _, _ := invoke("corpus", "export", folder, "-o", out); code != exitUsage {
			t.Errorf("%s: got %d for a directory that is not empty", where, code)
		}
	}
}

func TestCorpusExportRefuses(t *testing.T) {
	_, _, folder := buildFarm(t, "--format", "jsonl")
	out := filepath.Join(t.TempDir(), "part")
	for where, want := range map[string]string{
		"lang == 'en'": "lang", "counts.words": "bool", "language ==": "unexpected", "counts.wrods > 1": "wrods",
	} {
		code, _, errs := invoke("corpus", "export", folder, "--where", where, "-o", out+want)
		if code == exitOK || !strings.Contains(errs, want) && want != "wrods" {
			t.Errorf("%s: got %d, %q", where, code, errs)
		}
	}
	shard := filepath.Join(folder, "documents/train=in_favor/part-00000.jsonl")
	data, err := os.ReadFile(shard)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(shard, []byte(strings.Replace(string(data), "farm", "firm", 1)), 0o600); err != nil {
		t.Fatal(err)
	}
	if code, _, errs := invoke("corpus", "export", folder, "-o", out); code != exitDirectory || !strings.Contains(errs, "manifest.json") {
		t.Errorf("a changed shard: got %d, %q", code, errs)
	}
	if entries, err := os.ReadDir(out); err != nil || len(entries) > 0 {
		t.Errorf("got %v, %v, want nothing left", entries, err)
	}
}
