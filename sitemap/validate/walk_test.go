package validate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/sitemap"
)

const origin = "https://h.example"

// site opens files from memory and notes which it was asked for.
type site struct {
	files  map[string]string
	opened []string
	open   int // not closed yet
}

var errGone = errors.New("answers 410 Gone")

func (s *site) Open(_ context.Context, address string) (sitemap.Body, error) {
	path := strings.TrimPrefix(address, origin)
	s.opened = append(s.opened, path)
	body, ok := s.files[path]
	if !ok {
		return sitemap.Body{}, errGone
	}
	s.open++
	if body == "broken" {
		return sitemap.Body{ReadCloser: file{iotest.ErrReader(io.ErrClosedPipe), s}}, nil
	}
	return sitemap.Body{ReadCloser: file{strings.NewReader(body), s}}, nil
}

type file struct {
	io.Reader
	site *site
}

func (f file) Close() error { f.site.open--; return nil }

func document(root, entry string, paths ...string) string {
	var b strings.Builder
	fmt.Fprintf(&b, "<%s xmlns=%q>\n", root, sitemap.Namespace)
	for _, path := range paths {
		fmt.Fprintf(&b, "<%s><loc>%s%s</loc></%s>\n", entry, origin, path, entry)
	}
	return b.String() + "</" + root + ">\n"
}

func index(paths ...string) string  { return document("sitemapindex", "sitemap", paths...) }
func urlset(paths ...string) string { return document("urlset", "url", paths...) }

// results runs a walk and returns for each file its path, kind and problems.
func (s *site) results(t *testing.T, roots ...string) []string {
	t.Helper()
	var got []string
	walk := Walk{Open: s.Open, OnFile: func(f File) {
		line := strings.TrimPrefix(f.URL, origin) + " " + string(f.Kind)
		if f.Parent != "" {
			line += fmt.Sprintf(" from %s:%d", strings.TrimPrefix(f.Parent, origin), f.Line)
		}
		for _, p := range f.Problems {
			line += fmt.Sprintf(", %d %s", p.Line, p.Code)
		}
		if f.Err != nil {
			line += fmt.Sprintf(", unreadable %v", f.Unreadable())
		}
		if f.Valid() {
			line += ", valid"
		}
		got = append(got, line)
	}}
	for i := range roots {
		roots[i] = origin + roots[i]
	}
	if err := walk.Run(t.Context(), roots); err != nil {
		t.Fatal(err)
	}
	if s.open != 0 {
		t.Errorf("got %d files left open", s.open)
	}
	return got
}

func TestWalk(t *testing.T) {
	s := &site{files: map[string]string{
		"/index.xml":  index("/one.xml", "/nested.xml", "/gone.xml", "/one.xml", "/page.html", "/broken.xml"),
		"/nested.xml": index("/below.xml"),
		"/one.xml":    urlset("/a", "/b"),
		"/two.xml":    urlset("/b"),
		"/page.html":  "<!doctype html>",
		"/broken.xml": "broken",
	}}
	want := []string{
		"/index.xml sitemapindex, 5 duplicate",
		"/one.xml urlset from /index.xml:2, valid",
		"/nested.xml sitemapindex from /index.xml:3, 1 nested-index",
		"/gone.xml none from /index.xml:4, unreadable true",
		"/page.html none from /index.xml:6, unreadable false",
		"/broken.xml none from /index.xml:7, unreadable true",
		"/two.xml urlset, 2 duplicate", // across files
	}
	if d := cmp.Diff(s.results(t, "/index.xml", "/two.xml", "/one.xml", "/index.xml"), want); d != "" {
		t.Errorf("got -, want +:\n%s", d)
	}
}

func TestWalkChecksAFileOnce(t *testing.T) {
	s := &site{files: map[string]string{"/loop.xml": index("/loop.xml", "/other.xml"), "/other.xml": index("/loop.xml")}}
	s.results(t, "/loop.xml")
	if d := cmp.Diff(s.opened, []string{"/loop.xml", "/other.xml"}); d != "" {
		t.Errorf("opened: got -, want +:\n%s", d)
	}
}

func TestWalkEndsWithItsContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	s := &site{files: map[string]string{"/index.xml": index("/one.xml"), "/one.xml": urlset("/a")}}
	walk := Walk{Open: s.Open, OnFile: func(File) { cancel() }}
	if err := walk.Run(ctx, []string{origin + "/index.xml", origin + "/one.xml"}); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want %v", err, context.Canceled)
	}
	if len(s.opened) > 1 {
		t.Errorf("got %v opened after the cancellation", s.opened)
	}
}
