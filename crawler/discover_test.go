package crawler

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

const mapOfTwo = `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>BASE/a</loc></url><url><loc>BASE/b</loc></url></urlset>`

// TestSitemapsOfAKeptRobots resumes a crawl that ended after a robots.txt was
// stored and before the sitemaps in it were durable.
func TestSitemapsOfAKeptRobots(t *testing.T) {
	s := newSite(t, map[string]any{"/": doc(), "/a": doc(), "/b": doc(), "/map.xml": mapOfTwo})
	store := &robots.Memory{}
	err := store.Save(t.Context(), &robots.Document{
		Origin: s.URL, Status: 200, Body: []byte("Sitemap: " + s.URL + "/map.xml\n"), FetchedAt: time.Now(),
	})
	if err != nil {
		t.Fatal(err)
	}
	pages, _ := crawled(t, Options{Fetch: fetch.Options{Robots: store}}, s.URL+"/")
	if len(pages) != 3 || strings.Contains(strings.Join(s.paths(), " "), "robots.txt") {
		t.Errorf("got %d pages by %v, want the seed and those of the sitemap, without asking for robots.txt", len(pages), s.paths())
	}
}

// TestRefreshedEntriesAreDurable checks the frontier when the version of a sitemap
// is saved, because a file of a known version is not read again.
func TestRefreshedEntriesAreDurable(t *testing.T) {
	s := newSite(t, map[string]any{"/robots.txt": "Sitemap: BASE/map.xml\n", "/map.xml": mapOfTwo})
	f, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	pending := int64(-1)
	options := Options{Fetch: fetch.Options{Delay: -1, Allow: fetch.Network{Loopback: true}}, Sitemaps: true, Versions: Versions{
		Save: func(string, Version) error {
			pending = f.Stats().Pending
			return nil
		},
	}}
	ctx, cancel := context.WithTimeout(t.Context(), 30*time.Second)
	defer cancel()
	done, err := New(f, options).Refresh(ctx, []string{s.URL + "/"}, false)
	if err != nil || done.New != 2 || pending != 2 {
		t.Errorf("got %+v, %v, and %d entries when the version was kept, want both", done, err, pending)
	}
}
