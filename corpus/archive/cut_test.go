package archive_test

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus/archive"
)

// TestCutArchive cuts an archive at each byte after its first record: the whole
// records count, the cut one does not, and the source says so.
func TestCutArchive(t *testing.T) {
	var f file
	var ends []int
	f.robots(farm, "01T10:00:00", "User-agent: *\nDisallow: /no\n")
	ends = append(ends, f.Len())
	f.page(farm+"/a", "01T10:00:01", "<p>text of a")
	ends = append(ends, f.Len())
	f.page(farm+"/b", "01T10:00:02", "<p>text of b")
	ends = append(ends, f.Len())
	for name, data := range map[string][]byte{"gzip": f.Bytes(), "plain": unzipped(t, f.Bytes())} {
		t.Run(name, func(t *testing.T) {
			ends := ends
			if name == "plain" {
				ends = nil
				for at := 0; ; {
					next := bytes.Index(data[at+1:], []byte("WARC/1.0\r\n"))
					if next < 0 {
						break
					}
					at += 1 + next
					ends = append(ends, at)
				}
				ends = append(ends, len(data))
			}
			archived := filepath.Join(t.TempDir(), "cut.warc.gz")
			for size := ends[0]; size <= len(data); size++ {
				if err := os.WriteFile(archived, data[:size], 0o600); err != nil {
					t.Fatal(err)
				}
				checkCut(t, archived, size, ends)
			}
		})
	}
}

// checkCut opens an archive of size bytes, whose records end where ends says but
// for the empty lines after them.
func checkCut(t *testing.T, archived string, size int, ends []int) {
	t.Helper()
	const lines = 16 // the two empty lines, or the end of a gzip member
	source, err := archive.Open(t.Context(), []string{archived}, archive.Options{MaxBytes: 1 << 20})
	if err != nil {
		t.Fatalf("%d bytes: %v", size, err)
	}
	all := pages(t, source)
	least, most := 0, 0
	for _, end := range ends[1:] {
		if size >= end {
			least++
		}
		if size >= end-lines {
			most++
		}
	}
	if len(all) < least || len(all) > most {
		t.Errorf("%d bytes: got %d pages, want %d to %d", size, len(all), least, most)
	}
	for i, page := range all {
		if want := []string{"<p>text of a", "<p>text of b"}[i]; string(page.Visit.Body) != want || !page.Verdict.Allowed || page.Fault != "" {
			t.Errorf("%d bytes: got %q, %v, fault %q", size, page.Visit.Body, page.Verdict, page.Fault)
		}
	}
	cut := source.Inputs()[0].Cut
	whole := false
	for _, end := range ends {
		whole = whole || size <= end && size >= end-lines
	}
	if !whole && !strings.Contains(cut, "the file ends within it") {
		t.Errorf("%d bytes: got cut %q, want it told", size, cut)
	}
}

func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	plain, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return plain
}

// TestCutRobots has an archive that ends within a robots.txt: the pages before
// are judged by what came before, and no half of a robots.txt counts.
func TestCutRobots(t *testing.T) {
	var f file
	f.robots(farm, "01T10:00:00", "User-agent: *\nDisallow: /no\n")
	f.page(farm+"/a", "01T10:00:01", "text")
	f.robots(farm, "02T10:00:00", "User-agent: *\nDisallow: /\n"+strings.Repeat("# more\n", 1000))
	f.Truncate(f.Len() - 30)
	page := only(t, &f)
	if !page.Verdict.Allowed || page.Unjudged {
		t.Errorf("got %v, unjudged %v", page.Verdict, page.Unjudged)
	}
}
