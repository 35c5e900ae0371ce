package sitemap

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

var errNotFound = errors.New("not found")

// site serves files by path and notes what was opened and closed.
type site struct {
	files  map[string]string
	opened []string
	open   int
}

func (s *site) get(_ context.Context, u string) (Body, error) {
	path := strings.TrimPrefix(u, "https://farm.example")
	s.opened = append(s.opened, path)
	text, ok := s.files[path]
	if !ok {
		return Body{}, errNotFound
	}
	s.open++
	return Body{ReadCloser: &page{strings.NewReader(text), s}}, nil
}

type page struct {
	io.Reader
	site *site
}

func (p *page) Close() error { p.site.open--; return nil }

func index(paths ...string) string { return list("sitemapindex", "sitemap", paths) }
func pages(paths ...string) string { return list("urlset", "url", paths) }

func list(root, element string, paths []string) string {
	text := "<" + root + ` xmlns="` + Namespace + `">`
	for _, path := range paths {
		text += "<" + element + "><loc>https://farm.example" + path + "</loc></" + element + ">"
	}
	return text + "</" + root + ">"
}

// walked is what a walk gave, paths only.
type walked struct{ Items, Faults, Files []string }

func run(t *testing.T, w *Walker, s *site, roots ...string) walked {
	t.Helper()
	var got walked
	cut := func(u string) string { return strings.TrimPrefix(u, "https://farm.example") }
	w.Open = s.get
	w.OnProblem = func(source string, p Problem) { got.Faults = append(got.Faults, cut(source)+" "+p.Code) }
	w.OnFile = func(f File) {
		got.Files = append(got.Files, fmt.Sprintf("%s %s %d under %q", cut(f.URL), f.Kind, f.Entries, cut(f.Parent)))
	}
	for i, root := range roots {
		roots[i] = "https://farm.example" + root
	}
	for item, err := range w.Walk(t.Context(), roots) {
		if err != nil {
			t.Fatal(err)
		}
		got.Items = append(got.Items, cut(item.Source)+" "+cut(item.Loc))
	}
	if s.open != 0 {
		t.Errorf("got %d files left open, want none", s.open)
	}
	return got
}

func TestWalkReadsChildrenOnceAndPastBrokenOnes(t *testing.T) {
	s := &site{files: map[string]string{
		"/index.xml": index("/a.xml", "/gone.xml", "/html.xml", "/index.xml", "/a.xml", "/b.xml"),
		"/a.xml":     pages("/1", "/2"),
		"/b.xml":     pages("/3"),
		"/html.xml":  "<!DOCTYPE html><html></html>",
	}}
	got := run(t, &Walker{}, s, "/index.xml")
	want := walked{
		Items:  []string{"/a.xml /1", "/a.xml /2", "/b.xml /3"},
		Faults: []string{"/index.xml repeated-file", "/index.xml repeated-file", "/gone.xml unreadable", "/html.xml html"},
		Files: []string{
			`/index.xml sitemapindex 6 under ""`, `/a.xml urlset 2 under "/index.xml"`, `/gone.xml none 0 under "/index.xml"`,
			`/html.xml none 0 under "/index.xml"`, `/b.xml urlset 1 under "/index.xml"`,
		},
	}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

func TestWalkBoundsDepthAndFiles(t *testing.T) {
	s := &site{files: map[string]string{
		"/0.xml": index("/1.xml"), "/1.xml": index("/2.xml"), "/2.xml": index("/3.xml"), "/3.xml": index("/4.xml"), "/4.xml": pages("/page"),
	}}
	if got := run(t, &Walker{}, s, "/0.xml"); !slices.Equal(got.Faults, []string{"/3.xml nested-index"}) || len(s.opened) != 4 {
		t.Errorf("got faults %v, opened %v, want nested-index at /3.xml and four files", got.Faults, s.opened)
	}
	s.opened = nil
	if got := run(t, &Walker{MaxDepth: 4}, s, "/0.xml"); !slices.Equal(got.Items, []string{"/4.xml /page"}) {
		t.Errorf("got %v, want the page five files down", got.Items)
	}
	s = &site{files: map[string]string{"/0.xml": index("/1.xml", "/2.xml", "/3.xml", "/4.xml")}}
	got := run(t, &Walker{MaxFiles: 3}, s, "/0.xml")
	if want := []string{"/0.xml too-many-files", "/1.xml unreadable", "/2.xml unreadable"}; !slices.Equal(got.Faults, want) {
		t.Errorf("got faults %v, want %v", got.Faults, want)
	}
}

func TestWalkEndsWithItsContext(t *testing.T) {
	s := &site{files: map[string]string{"/a.xml": pages("/1", "/2"), "/b.xml": pages("/3")}}
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	w := &Walker{Open: s.get}
	n, last := 0, error(nil)
	for _, err := range w.Walk(ctx, []string{"https://farm.example/a.xml", "https://farm.example/b.xml"}) {
		n, last = n+1, err
		cancel()
	}
	if n != 2 || !errors.Is(last, context.Canceled) || len(s.opened) != 1 || s.open != 0 {
		t.Errorf("got %d steps, %v, opened %v, %d open, want one entry and the error", n, last, s.opened, s.open)
	}
}

func TestWalkStopsWithTheLoop(t *testing.T) {
	s := &site{files: map[string]string{"/a.xml": pages("/1", "/2"), "/b.xml": pages("/3")}}
	for range (&Walker{Open: s.get}).Walk(t.Context(), []string{"https://farm.example/a.xml", "https://farm.example/b.xml"}) {
		break
	}
	if len(s.opened) != 1 || s.open != 0 {
		t.Errorf("got %v opened, %d open, want one and none", s.opened, s.open)
	}
}

func ExampleWalker_Walk() {
	files := map[string]string{
		"https://farm.example/sitemap.xml": index("/cows.xml"),
		"https://farm.example/cows.xml":    pages("/cows/bella", "/cows/rosa"),
	}
	w := &Walker{Open: func(_ context.Context, u string) (Body, error) {
		return Body{ReadCloser: io.NopCloser(strings.NewReader(files[u]))}, nil
	}}
	for item, err := range w.Walk(context.Background(), []string{"https://farm.example/sitemap.xml"}) {
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(item.Loc, "in", item.Source)
	}
	// Output:
	// https://farm.example/cows/bella in https://farm.example/cows.xml
	// https://farm.example/cows/rosa in https://farm.example/cows.xml
}

func TestWalkKnowsNamedFiles(t *testing.T) {
	s := &site{files: map[string]string{
		"/maps/index.xml":                 index("/maps/a.xml"),
		"/maps/a.xml":                     pages("/1"),
		"/maps/b.xml":                     pages("/2"),
		"https://barn.example/maps/c.xml": `<urlset xmlns="` + Namespace + `"><url><loc>https://barn.example/3</loc></url></urlset>`,
	}}
	s.files["/maps/index.xml"] = strings.Replace(s.files["/maps/index.xml"], "</sitemapindex>", "<sitemap><loc>https://barn.example/maps/c.xml</loc></sitemap></sitemapindex>", 1)
	w := &Walker{Named: func(root string) bool { return strings.HasSuffix(root, "/index.xml") }}
	got := run(t, w, s, "/maps/index.xml", "/maps/b.xml")
	// A file on another host has only the word of this one.
	want := []string{"/maps/index.xml other-host", "/maps/b.xml above-folder", "https://barn.example/maps/c.xml above-folder"}
	if diff := cmp.Diff(got.Faults, want); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
}

func TestWalkSaysThatAnIndexNamesItself(t *testing.T) {
	s := &site{files: map[string]string{"/i.xml": index("/i.xml", "/a.xml", "/i.xml#x"), "/a.xml": pages("/1")}}
	var messages []string
	w := &Walker{Open: s.get, OnProblem: func(_ string, p Problem) { messages = append(messages, p.Message) }}
	n := 0
	for range w.Walk(t.Context(), []string{"https://farm.example/i.xml"}) {
		n++
	}
	if n != 1 || len(s.opened) != 2 || !strings.Contains(strings.Join(messages, "\n"), "the index names itself") {
		t.Errorf("got %d entries, opened %v, problems %v", n, s.opened, messages)
	}
}
