package crawldir_test

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/crawler/crawldir"
)

func TestVerify(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	if faults := faultsOf(t, path); len(faults) > 0 {
		t.Fatalf("got %v, want no fault", faults)
	}
	pages, captures := readFile(t, filepath.Join(path, crawldir.PagesName)), readFile(t, filepath.Join(path, crawldir.CapturesName))
	archive := readFile(t, filepath.Join(path, "warc/00000.warc.gz"))
	end := bytes.IndexByte(pages, '\n') + 1
	lines := bytes.SplitAfter(captures, []byte("\n"))
	lines[0], lines[1] = lines[1], lines[0]
	for name, fault := range map[string]struct {
		file string
		data []byte
		want string
	}{
		"a line that is not JSON":    {crawldir.PagesName, append([]byte("x"), pages[1:]...), "pages.jsonl line 1: "},
		"a line that is there twice": {crawldir.PagesName, append(bytes.Clone(pages[:end]), pages...), "duplicate record"},
		"lines that are gone":        {crawldir.PagesName, pages[:end], "is shorter than the"},
		"a page that was never seen": {crawldir.PagesName, bytes.Replace(pages, []byte(`"url":"http`), []byte(`"url":"HTTP`), 1), "the state has"},
		"a changed byte":             {"warc/00000.warc.gz", flipped(archive, len(archive)/2), "warc/00000.warc.gz"},
		"a file cut short":           {"warc/00000.warc.gz", archive[:len(archive)/2], "warc/00000.warc.gz"},
		"lines in another order":     {crawldir.CapturesName, bytes.Join(lines, nil), "the index has"},
		"an index that is cut":       {crawldir.CapturesName, bytes.Join(lines[:2], nil), "has no line in warc/captures.cdxj"},
	} {
		t.Run(name, func(t *testing.T) {
			place := filepath.Join(path, fault.file)
			before := readFile(t, place)
			write(t, place, fault.data)
			defer write(t, place, before)
			if faults := faultsOf(t, path); !strings.Contains(strings.Join(faults, "\n"), fault.want) {
				t.Errorf("got %v, want %q", faults, fault.want)
			}
		})
	}
	if err := os.Remove(filepath.Join(path, crawldir.SkippedName)); err != nil {
		t.Fatal(err)
	}
	if err := look(t, path).Verify(func(string) {}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("got %v, want fs.ErrNotExist", err)
	}
}

func TestVerifyMissesTheArchive(t *testing.T) {
	path, _ := newCrawl(t, crawldir.Options{})
	if err := os.RemoveAll(filepath.Join(path, crawldir.ArchiveDir)); err != nil {
		t.Fatal(err)
	}
	if faults := faultsOf(t, path); len(faults) != 1 || faults[0] != "warc/captures.cdxj is missing" {
		t.Errorf("got %v, want the index missed", faults)
	}
}
