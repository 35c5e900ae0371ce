package crawldir_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/crawler/record"
)

func TestPackage(t *testing.T) {
	path, site := newCrawl(t, crawldir.Options{})
	hidden := ""
	archive, err := look(t, path).Package(crawldir.PackageOptions{Software: "x 1", Hidden: func(p record.Page) bool {
		if hidden == "" && p.URL != site.URL()+"/" && p.Status == 200 {
			hidden = p.URL
		}
		return p.URL == hidden
	}})
	if err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := archive.Write(&out); err != nil {
		t.Fatal(err)
	}
	packed, err := zip.NewReader(bytes.NewReader(out.Bytes()), int64(out.Len()))
	if err != nil {
		t.Fatal(err)
	}
	part := func(name string) string {
		file, err := packed.Open(name)
		if err != nil {
			t.Fatal(err)
		}
		defer file.Close()
		data, err := io.ReadAll(file)
		if err != nil {
			t.Fatal(err)
		}
		return string(data)
	}
	about := part("datapackage.json")
	for _, want := range []string{`"mainPageUrl": "` + site.URL() + `/"`, `"title": "` + site.URL() + `/"`, `"software": "x 1"`} {
		if !strings.Contains(about, want) {
			t.Errorf("got %s, want %s", about, want)
		}
	}
	if pages := part("pages/pages.jsonl"); strings.Count(pages, "\n") < 10 || strings.Contains(pages, `"`+hidden+`"`) {
		t.Errorf("got %s, want the pages but %s", pages, hidden)
	}
}

func TestPackageRefuses(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pages only")
	dir, err := crawldir.Create(path, configs.Default(), crawldir.Options{})
	if err != nil || dir.Close() != nil {
		t.Fatal(err)
	}
	if _, err := look(t, path).Package(crawldir.PackageOptions{}); !errors.Is(err, crawldir.ErrNoArchive) {
		t.Errorf("got %v, want ErrNoArchive", err)
	}
	path, _ = newCrawl(t, crawldir.Options{})
	file, err := os.OpenFile(filepath.Join(path, "warc/00000.warc.gz"), os.O_APPEND|os.O_WRONLY, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	if _, err := file.WriteString("torn"); err != nil {
		t.Fatal(err)
	}
	if _, err := look(t, path).Package(crawldir.PackageOptions{}); !errors.Is(err, crawldir.ErrCutShort) {
		t.Errorf("got %v, want ErrCutShort", err)
	}
}
