package corpus

import (
	"encoding/json"
	"net/http"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// TestRedirectsAreBounded has a loop of redirects, which an archive can contain:
// the list of each one must not grow without limit.
func TestRedirectsAreBounded(t *testing.T) {
	const site = "https://farm.example"
	keep := NewBuilder(Options{Agent: "decorum"}).Sink().Keep
	urls := [2]string{site + "/0", site + "/1"}
	for i := range 300 {
		records, err := keep(t.Context(), &crawler.Visit{
			Item:   frontier.Item{URL: urls[i%2], Via: urls[(i+1)%2], Source: frontier.SourceRedirect},
			Robots: &robots.Document{Origin: site, Status: http.StatusNotFound}, Status: http.StatusFound,
			StartedAt: time.Unix(int64(i), 0), Page: record.Page{RedirectTo: urls[(i+1)%2]},
		})
		if err != nil {
			t.Fatal(err)
		}
		var e Evidence
		if err := json.Unmarshal(records[0].Data, &e); err != nil {
			t.Fatal(err)
		}
		if len(e.Redirects) > 100 {
			t.Fatalf("got a chain of %d redirects after %d", len(e.Redirects), i)
		}
	}
}
