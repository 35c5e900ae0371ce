package warc_test

import (
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/decorum-crawler/decorum/storage/warc"
)

// packed makes a package of so many captures, in several files.
func packed(t *testing.T, captures int) *zip.Reader {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	var lines bytes.Buffer
	w, err := warc.Open(root, "warc", 0, warc.Options{MaxFileBytes: 64 << 10, Index: func(line []byte) error {
		_, err := lines.Write(line)
		return err
	}})
	if err != nil {
		t.Fatal(err)
	}
	var encoder warc.Encoder
	for i := range captures {
		entry, err := encoder.Encode(warc.Capture{
			URL: fmt.Sprintf("https://farm.example/%d", i*7919%captures), At: time.Unix(1_770_000_000, 0),
			Head: []byte("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n"), Body: fmt.Appendf(nil, "<p>page %d", i),
		})
		if err == nil {
			err = w.Append(entry)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var index, out bytes.Buffer
	if err := warc.SortIndex(&index, &lines, ""); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "index.cdxj"), index.Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	pages := func(yield func(warc.PackagePage, error) bool) {
		yield(warc.PackagePage{URL: "https://farm.example/1", At: time.Unix(1_770_000_000, 0), Title: "One"}, nil)
	}
	about := warc.Package{Title: "Farm", Software: "decorum", Created: time.Unix(1_770_000_000, 0), MainURL: "https://farm.example/1"}
	if err := warc.Pack(&out, root, "warc", "index.cdxj", about, pages); err != nil {
		t.Fatal(err)
	}
	archive, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	return archive
}

func part(t *testing.T, archive *zip.Reader, name string) []byte {
	t.Helper()
	file, err := archive.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	data, err := io.ReadAll(file)
	if err != nil {
		t.Fatalf("%s: %v", name, err)
	}
	return data
}

func TestPackListsItsParts(t *testing.T) {
	archive := packed(t, 300)
	whole := part(t, archive, "datapackage.json")
	var about struct {
		Profile, Title, MainPageURL string
		WACZVersion                 string `json:"wacz_version"`
		Resources                   []struct {
			Path, Hash string
			Bytes      int
		}
	}
	if err := json.Unmarshal(whole, &about); err != nil {
		t.Fatal(err)
	}
	if about.Profile != "data-package" || about.Title != "Farm" || about.MainPageURL != "https://farm.example/1" || about.WACZVersion != "1.1.1" {
		t.Errorf("got %s", whole)
	}
	listed := map[string]bool{"datapackage.json": true, "datapackage-digest.json": true}
	for _, r := range about.Resources {
		data := part(t, archive, r.Path)
		sum := sha256.Sum256(data)
		if len(data) != r.Bytes || "sha256:"+hex.EncodeToString(sum[:]) != r.Hash {
			t.Errorf("%s: does not match the package", r.Path)
		}
		listed[r.Path] = true
	}
	for _, file := range archive.File {
		if !listed[file.Name] {
			t.Errorf("%s is not listed", file.Name)
		}
		if strings.HasPrefix(file.Name, "archive/") && file.Method != zip.Store {
			t.Errorf("%s is compressed again, so that it cannot be read in parts", file.Name)
		}
	}
	sum := sha256.Sum256(whole)
	if digest := part(t, archive, "datapackage-digest.json"); !bytes.Contains(digest, []byte(hex.EncodeToString(sum[:]))) {
		t.Errorf("got %s, want the digest of datapackage.json", digest)
	}
}

// TestPackIndexLeadsToRecords looks records up like a viewer: from the second
// index to a block, and from its lines to the records.
func TestPackIndexLeadsToRecords(t *testing.T) {
	const captures = 2500
	archive := packed(t, captures)
	starts := strings.Split(strings.TrimSpace(string(part(t, archive, "indexes/index.idx"))), "\n")
	if len(starts) != 4 || !strings.HasPrefix(starts[0], "!meta 0 {") {
		t.Fatalf("got %d lines, the first %q, want one of meta and one a block", len(starts), starts[0])
	}
	blocks, found := part(t, archive, "indexes/index.cdx.gz"), 0
	for _, start := range starts[1:] {
		head, object, _ := strings.Cut(start, " {")
		var at struct{ Offset, Length int }
		if err := json.Unmarshal([]byte("{"+object), &at); err != nil {
			t.Fatal(err)
		}
		block, err := gzip.NewReader(bytes.NewReader(blocks[at.Offset : at.Offset+at.Length]))
		if err != nil {
			t.Fatal(err)
		}
		lines, err := io.ReadAll(block)
		if err != nil || !bytes.HasPrefix(lines, []byte(head+" {")) {
			t.Fatalf("got %v, %.60q, want a block that begins with %s", err, lines, head)
		}
		for line := range strings.Lines(string(lines)) {
			found++
			_, object, _ := strings.Cut(line, " {")
			var c struct{ URL, Filename, Offset string }
			if err := json.Unmarshal([]byte("{"+object), &c); err != nil {
				t.Fatal(err)
			}
			if found%50 == 0 {
				leadsTo(t, archive, c.Filename, c.Offset, c.URL)
			}
		}
	}
	if found != captures {
		t.Errorf("got %d lines, want %d", found, captures)
	}
}

func leadsTo(t *testing.T, archive *zip.Reader, filename, offset, address string) {
	t.Helper()
	n, err := strconv.Atoi(offset)
	if err != nil {
		t.Fatal(err)
	}
	record, err := warc.NewReader(bytes.NewReader(part(t, archive, "archive/"+filename)[n:])).Next()
	if err != nil || record.URL() != address {
		t.Errorf("got %v, %v at %s of %s, want %s", record, err, offset, filename, address)
	}
}
