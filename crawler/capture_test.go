package crawler

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
)

// TestCaptureTakesEachAnswerOnce crawls a site and lists its captures.
func TestCaptureTakesEachAnswerOnce(t *testing.T) {
	flaky := 0
	s := newSite(t, map[string]any{
		"/robots.txt": func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/real.txt", http.StatusFound) },
		"/real.txt":   "User-agent: *\nSitemap: BASE/map.xml\n",
		"/map.xml":    `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><url><loc>BASE/listed</loc></url></urlset>`,
		"/":           doc(a("/a"), a("/pic.png"), a("/secret"), a("/flaky"), a("/dead")),
		"/a":          func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, "/", http.StatusMovedPermanently) },
		"/listed":     doc(),
		"/secret":     doc("kept back"),
		"/pic.png": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "image/png")
			fmt.Fprint(w, "x")
		},
		"/flaky": func(w http.ResponseWriter, r *http.Request) {
			if flaky++; flaky == 1 {
				w.Header().Set("Retry-After", "0")
				w.WriteHeader(http.StatusServiceUnavailable)
			}
		},
		"/dead": func(w http.ResponseWriter, _ *http.Request) {
			if c, _, err := w.(http.Hijacker).Hijack(); err == nil {
				_ = c.Close()
			}
		},
	})
	var mu sync.Mutex
	var captured, recorded []string
	options := Options{Fetch: fetch.Options{MaxRetries: -1}, Sinks: []Sink{{
		Keep: func(_ context.Context, e *Visit) ([]frontier.Record, error) {
			e.Withhold = strings.HasSuffix(e.Item.URL, "/secret")
			return nil, nil
		},
	}}}
	options.Capture = func(w Capture) ([]frontier.Record, error) {
		mu.Lock()
		defer mu.Unlock()
		line, _, _ := strings.Cut(string(w.Head), "\r\n")
		note := fmt.Sprintf("%s %s", strings.TrimPrefix(w.URL, s.URL), strings.Fields(line)[1])
		if w.Page != nil {
			note += " page"
		}
		if w.Cut != "" {
			note += " " + string(w.Cut) + " " + string(w.Body)
		}
		captured = append(captured, note)
		return []frontier.Record{{Output: "wire", Data: []byte(w.URL)}}, nil
	}
	options.Record = func(_ context.Context, records []frontier.Record) error {
		mu.Lock()
		defer mu.Unlock()
		for _, r := range records {
			recorded = append(recorded, strings.TrimPrefix(string(r.Data), s.URL))
		}
		return nil
	}
	crawled(t, options, s.URL+"/")
	slices.Sort(captured)
	want := []string{
		"/ 200 page", "/a 301 page", "/flaky 503 page", "/listed 200 page", "/map.xml 200", "/real.txt 200", "/robots.txt 302", "/secret 200 page unspecified ",
	}
	if diff := cmp.Diff(want, captured); diff != "" {
		t.Errorf("captured (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]string{"/robots.txt", "/real.txt"}, recorded); diff != "" {
		t.Errorf("recorded (-want +got):\n%s", diff)
	}
}
