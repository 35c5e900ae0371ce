package crawler

import (
	"encoding/json"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

// TestEverySkipHasItsReason builds one site with a URL for each skip reason.
func TestEverySkipHasItsReason(t *testing.T) {
	hop := func(n int) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, r *http.Request) {
			http.Redirect(w, r, fmt.Sprintf("/hop/%d", n+1), http.StatusFound)
		}
	}
	long := "/" + strings.Repeat("l", 3000)
	s := newSite(t, map[string]any{
		"/robots.txt": "User-agent: *\nDisallow: /private\n",
		"/": doc(a("/private/x"), a("https://elsewhere.example/"), a("/excluded"), a("/deep/1"), a(long), a("http://a..b/"),
			a("ftp://x.example/"), a("/trap/a/a/a/a/a"), a("/pic"), `<a href=/nofollow rel=nofollow>n</a>`, a("/hop/0")),
		"/deep/1": doc(a("/deep/2")), "/deep/2": doc(a("/deep/3")),
		"/pic":   func(w http.ResponseWriter, _ *http.Request) { w.Header().Set("Content-Type", "image/png") },
		"/hop/0": hop(0), "/hop/1": hop(1), "/hop/2": hop(2),
	})
	scope, err := frontier.NewScope(frontier.ReachHost, []string{s.URL + "/"}, nil, []string{"/excluded$"})
	if err != nil {
		t.Fatal(err)
	}
	_, lines := crawled(t, Options{Scope: scope, MaxDepth: 2, Fetch: fetch.Options{MaxRedirects: 2}}, s.URL+"/")
	got := map[string]record.Skip{}
	for _, line := range lines {
		var skip record.Skip
		if err := json.Unmarshal([]byte(line), &skip); err != nil {
			t.Fatal(err)
		}
		got[strings.TrimPrefix(skip.URL, s.URL)] = skip
	}
	want := map[string]frontier.Reason{
		"/private/x": frontier.SkipRobotsDisallow, "https://elsewhere.example/": frontier.SkipOutOfScope,
		"/excluded": frontier.SkipExcluded, "/deep/3": frontier.SkipDepth, long[:2048]: frontier.SkipTooLong,
		"http://a..b/": frontier.SkipBadURL, "ftp://x.example/": frontier.SkipScheme, "/trap/a/a/a/a/a": frontier.SkipTrap,
		"/pic": frontier.SkipContentType, "/nofollow": frontier.SkipNofollow, "/hop/3": frontier.SkipRedirectLimit,
	}
	for path, reason := range want {
		if got[path].Reason != reason {
			t.Errorf("%.40s: got %q, want %q", path, got[path].Reason, reason)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d skips, want %d: %v", len(got), len(want), got)
	}
	if rule := got["/private/x"]; rule.Rule != "Disallow: /private" || rule.Line != 2 || rule.Via != s.URL+"/" {
		t.Errorf("got %+v, want rule, line and the page that named it", rule)
	}
}

func TestPrivateTargetIsSkipped(t *testing.T) {
	scope, err := frontier.NewScope(frontier.ReachAny, nil, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	secret := newSite(t, map[string]any{"/": doc()})
	s := newSite(t, map[string]any{"/": doc(a(secret.URL + "/"))})
	p, skips := &memoryOutput{}, &memoryOutput{}
	f, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{
		Outputs: map[string]frontier.Output{record.OutputPages: p, record.OutputSkipped: skips}, Skipped: record.Skipped,
	})
	if err != nil {
		t.Fatal(err)
	}
	c := New(f, Options{Scope: scope, Links: true, Fetch: fetch.Options{Delay: -1, Allow: fetch.Network{Hosts: []string{strings.TrimPrefix(s.URL, "http://")}}}})
	if _, err := c.Seed(t.Context(), []string{s.URL + "/"}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Run(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := f.Close(); err != nil {
		t.Fatal(err)
	}
	if len(secret.paths()) != 0 || len(skips.lines) != 1 || !strings.Contains(skips.lines[0], `"private-address"`) {
		t.Errorf("got %v asked, skips %v, want the private site left alone", secret.paths(), skips.lines)
	}
}

func TestPageDirectivesAreRecordedAndObeyed(t *testing.T) {
	s := newSite(t, map[string]any{
		"/":  doc(a("/m"), a("/h")),
		"/m": doc(`<meta name="robots" content="noindex, nofollow">`, a("/from-meta")),
		"/h": func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Add("X-Robots-Tag", "otherbot: noindex")
			w.Header().Add("X-Robots-Tag", "nofollow")
			fmt.Fprint(w, doc(a("/from-header")))
		},
	})
	pages, skips := crawled(t, Options{}, s.URL+"/")
	found := map[string]record.Page{}
	for _, line := range pages {
		var p record.Page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		found[strings.TrimPrefix(p.URL, s.URL)] = p
	}
	if m := found["/m"]; !m.NoIndex || !m.NoFollow || len(m.Signals.Directives) != 2 {
		t.Errorf("got %+v, want noindex and nofollow of the meta element", m)
	}
	if h := found["/h"]; h.NoIndex || !h.NoFollow {
		t.Errorf("got %+v, want only nofollow of the header", h)
	}
	if text := strings.Join(skips, "\n"); !strings.Contains(text, `/from-meta","reason":"nofollow"`) || !strings.Contains(text, `/from-header","reason":"nofollow"`) {
		t.Errorf("got skips %s, want both links left alone", text)
	}
}

func TestLastModifiedIsRecorded(t *testing.T) {
	dated := func(value string) func(http.ResponseWriter, *http.Request) {
		return func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Type", "text/html")
			w.Header().Set("Last-Modified", value)
			fmt.Fprint(w, doc())
		}
	}
	s := newSite(t, map[string]any{
		"/":       doc(a("/date"), a("/rfc850"), a("/word")),
		"/date":   dated("Sun, 06 Nov 1994 08:49:37 GMT"),
		"/rfc850": dated("Sunday, 06-Nov-94 08:49:37 GMT"),
		"/word":   dated("yesterday"),
	})
	pages, _ := crawled(t, Options{}, s.URL+"/")
	got := map[string]string{}
	for _, line := range pages {
		var p record.Page
		if err := json.Unmarshal([]byte(line), &p); err != nil {
			t.Fatal(err)
		}
		got[strings.TrimPrefix(p.URL, s.URL)] = p.LastModified
	}
	want := map[string]string{"/": "", "/date": "1994-11-06T08:49:37Z", "/rfc850": "1994-11-06T08:49:37Z", "/word": ""}
	if diff := cmp.Diff(got, want); diff != "" {
		t.Errorf("last_modified (got -, want +):\n%s", diff)
	}
}
