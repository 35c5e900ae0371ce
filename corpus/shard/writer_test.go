package shard_test

import (
	"bufio"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
	"github.com/parquet-go/parquet-go"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/measure"
	. "github.com/decorum-crawler/decorum/corpus/shard" // its tests need documents, which need it
)

func testRoot(t *testing.T) (*os.Root, string) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	return root, dir
}

// documents returns n documents on which all readers should agree.
func documents(n int) []corpus.Document {
	texts := []string{"Zeile eins\nZeile \"zwei\"\t\\ende", "日本語の文章。", "<b>&amp;</b>\u2028 \U0001F6A2", "NaN", "0123"}
	all := make([]corpus.Document, n)
	for i := range all {
		all[i] = corpus.Document{
			ID: fmt.Sprintf("urn:decorum:%032x", i), Text: texts[i%len(texts)], Source: "example.org",
			URL: fmt.Sprintf("https://example.org/%d", i), Added: corpus.TimestampOf(fetched.Add(time.Duration(i) * 1500 * time.Microsecond)), Language: "de",
			TextFormat: "plain", Languages: corpus.Languages{{Language: "de", Score: corpus.Score(i%4) / 4, Line: 1, Lines: 1 + int64(i%5)}},
			LanguageScore: corpus.Score(i%4) / 4, Simhash: corpus.FormatSimhash(uint64(i) << 60), Train: "none",
			Metadata: corpus.Metadata{
				Schema: corpus.DocumentSchema, HTTPStatus: 200, RobotsFetchedAt: corpus.TimestampOf(fetched), WARCOffset: int64(i) << 33, Truncated: i%2 == 1,
				Signals: corpus.Signals{{Signal: "token", Value: "none", Where: "robots", Line: int64(i)}},
			},
		}
		all[i].Counts, all[i].Marks = measure.Of(all[i].Text, measure.Facts{Language: "de"})
	}
	return all
}

// fetched is when the first document was.
var fetched = time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)

func write(t *testing.T, root *os.Root, options Options, all []corpus.Document) []Shard {
	t.Helper()
	w, err := Open[corpus.Document](root, "documents/train=none", 0, options)
	if err != nil {
		t.Fatal(err)
	}
	for _, d := range all {
		if err := w.Append(d); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return w.Shards()
}

// read returns the documents of a shard.
func read(t *testing.T, format Format, data []byte) []corpus.Document {
	t.Helper()
	if format == Parquet {
		rows, err := parquet.Read[corpus.Document](bytes.NewReader(data), int64(len(data)))
		if err != nil {
			t.Fatal(err)
		}
		return rows
	}
	var in io.Reader = bytes.NewReader(data)
	switch format {
	case JSONLGzip:
		z, err := gzip.NewReader(in)
		if err != nil {
			t.Fatal(err)
		}
		in = z
	case JSONLZstd:
		z, err := zstd.NewReader(in, zstd.WithDecoderConcurrency(1))
		if err != nil {
			t.Fatal(err)
		}
		defer z.Close()
		in = z
	}
	var all []corpus.Document
	for lines := bufio.NewScanner(in); lines.Scan(); {
		var d corpus.Document
		if err := json.Unmarshal(lines.Bytes(), &d); err != nil {
			t.Fatal(err)
		}
		all = append(all, d)
	}
	return all
}

var formats = []Format{JSONL, JSONLGzip, JSONLZstd, Parquet}

func TestWriterRotatesByRows(t *testing.T) {
	for _, format := range formats {
		t.Run(string(format), func(t *testing.T) {
			root, dir := testRoot(t)
			want := documents(250)
			shards := write(t, root, Options{Format: format, MaxRows: 100}, want)
			var got []corpus.Document
			for i, s := range shards {
				data, err := os.ReadFile(filepath.Join(dir, s.Name))
				if err != nil {
					t.Fatal(err)
				}
				rows, sum := read(t, format, data), sha256.Sum256(data)
				wanted := Shard{fmt.Sprintf("documents/train=none/part-%05d.%s", i, format), len(rows), int64(len(data)), hex.EncodeToString(sum[:])}
				if diff := cmp.Diff(wanted, s); diff != "" {
					t.Errorf("-want +got:\n%s", diff)
				}
				got = append(got, rows...)
			}
			if diff := cmp.Diff(want, got); diff != "" || len(shards) != 3 {
				t.Errorf("got %d shards, want 3; -want +got:\n%s", len(shards), diff)
			}
		})
	}
}

func TestWriterRotatesByBytes(t *testing.T) {
	for _, format := range formats {
		t.Run(string(format), func(t *testing.T) {
			root, _ := testRoot(t)
			shards := write(t, root, Options{Format: format, MaxBytes: 10_000}, documents(50))
			for i, s := range shards {
				if i < len(shards)-1 && (s.Rows < 5 || s.Rows > 15) {
					t.Errorf("shard %d has %d rows of about 900 bytes, want about 11", i, s.Rows)
				}
			}
			if len(shards) < 4 {
				t.Errorf("got %d shards, want at least 4", len(shards))
			}
		})
	}
}

// Equal records make equal files, so that a run can be repeated and compared.
func TestWriterIsDeterministic(t *testing.T) {
	for _, format := range formats {
		a, _ := testRoot(t)
		b, _ := testRoot(t)
		if diff := cmp.Diff(write(t, a, Options{Format: format}, documents(99)), write(t, b, Options{Format: format}, documents(99))); diff != "" {
			t.Errorf("%s:\n%s", format, diff)
		}
	}
}

func names(t *testing.T, dir string) []string {
	t.Helper()
	entries, err := os.ReadDir(filepath.Join(dir, "documents/train=none"))
	if err != nil {
		t.Fatal(err)
	}
	var all []string
	for _, entry := range entries {
		all = append(all, entry.Name())
	}
	slices.Sort(all)
	return all
}

func TestOpenCutsBackToWhatIsKnown(t *testing.T) {
	root, dir := testRoot(t)
	options := Options{Format: JSONL, MaxRows: 10}
	write(t, root, options, documents(30))
	for _, left := range []string{".part-00003.jsonl", ".part-00004.jsonl.new", "NOTES", "part-00000.parquet"} {
		if err := os.WriteFile(filepath.Join(dir, "documents/train=none", left), []byte("x"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	w, err := Open[corpus.Document](root, "documents/train=none", 2, options)
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"NOTES", "part-00000.jsonl", "part-00000.parquet", "part-00001.jsonl"}
	if diff := cmp.Diff(want, names(t, dir)); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if err := errors.Join(w.Append(documents(1)[0]), w.Close()); err != nil {
		t.Fatal(err)
	}
	if got, want := w.Shards()[0].Name, "documents/train=none/part-00002.jsonl"; got != want {
		t.Errorf("got %s, want %s", got, want)
	}
	if _, err := Open[corpus.Document](root, "documents/train=none", 4, options); !errors.Is(err, ErrMissing) {
		t.Errorf("got %v, want a missing shard", err)
	}
}

func TestOpenRefuses(t *testing.T) {
	root, dir := testRoot(t)
	if _, err := Open[corpus.Document](root, "documents", 0, Options{Format: "csv"}); err == nil {
		t.Error("an unknown format is taken")
	}
	if err := os.Symlink(t.TempDir(), filepath.Join(dir, "out")); err != nil {
		t.Fatal(err)
	}
	if _, err := Open[corpus.Document](root, "out/documents", 0, Options{}); err == nil {
		t.Error("a link out of the root is followed")
	}
}

// A shard that cannot be written leaves no file, neither under a final name nor a
// hidden one.
func TestWriterFailsWhole(t *testing.T) {
	for _, format := range formats {
		t.Run(string(format), func(t *testing.T) {
			root, dir := testRoot(t)
			w, err := Open[corpus.Document](root, "documents/train=none", 0, Options{Format: format, MaxRows: 10})
			if err != nil {
				t.Fatal(err)
			}
			for _, d := range documents(15) {
				if err := w.Append(d); err != nil {
					t.Fatal(err)
				}
			}
			Break(w)
			if err := w.Close(); err == nil || !strings.Contains(err.Error(), "part-00001") {
				t.Errorf("got %v, want an error that names the shard", err)
			}
			if err := w.Append(documents(1)[0]); err == nil {
				t.Error("a failed writer takes a record")
			}
			if diff := cmp.Diff([]string{"part-00000." + string(format)}, names(t, dir)); diff != "" || len(w.Shards()) != 1 {
				t.Errorf("%d shards; -want +got:\n%s", len(w.Shards()), diff)
			}
		})
	}
}

func TestWriterAbort(t *testing.T) {
	root, dir := testRoot(t)
	w, err := Open[corpus.Document](root, "documents/train=none", 0, Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := w.Append(documents(1)[0]); err != nil {
		t.Fatal(err)
	}
	w.Abort()
	if got := names(t, dir); len(got) > 0 || len(w.Shards()) > 0 {
		t.Errorf("got %q and %d shards, want none", got, len(w.Shards()))
	}
}

// Header values may contain any bytes; Parquet strings may not.
func TestWriterMakesUTF8(t *testing.T) {
	for _, format := range formats {
		root, dir := testRoot(t)
		d := documents(1)
		d[0].Metadata.ETag, d[0].Title = "caf\xe9", "kept \ufffd"
		shards := write(t, root, Options{Format: format}, d)
		data, err := os.ReadFile(filepath.Join(dir, shards[0].Name))
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, format, data)[0]; got.Metadata.ETag != "caf\ufffd" || got.Title != "kept \ufffd" {
			t.Errorf("%s: got %q and %q", format, got.Metadata.ETag, got.Title)
		}
	}
}

func BenchmarkAppend(b *testing.B) {
	d := documents(1)[0]
	d.Text = strings.Repeat("The harbour master writes down every ship that enters. ", 100)
	for _, format := range formats {
		b.Run(string(format), func(b *testing.B) {
			root, err := os.OpenRoot(b.TempDir())
			if err != nil {
				b.Fatal(err)
			}
			defer root.Close()
			w, err := Open[corpus.Document](root, "documents", 0, Options{Format: format})
			if err != nil {
				b.Fatal(err)
			}
			b.ReportAllocs()
			for b.Loop() {
				if err := w.Append(d); err != nil {
					b.Fatal(err)
				}
			}
			w.Abort()
		})
	}
}
