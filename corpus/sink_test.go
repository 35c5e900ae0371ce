package corpus_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
)

func TestSinkWantsTheFilesOfASite(t *testing.T) {
	const license = "License: /license.xml\n"
	for name, test := range map[string]struct {
		robots string
		aiTxt  bool
		want   []string
	}{
		"always":           {"", false, []string{"/.well-known/tdmrep.json"}},
		"ai.txt if wanted": {"", true, []string{"/.well-known/tdmrep.json", "/ai.txt"}},
		"licenses":         {license, false, []string{"/.well-known/tdmrep.json", "/license.xml"}},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrawl(t, test.robots, func(c *crawl) { c.options.AITxt = test.aiTxt })
			if diff := cmp.Diff(test.want, c.asked); diff != "" {
				t.Error(diff)
			}
		})
	}
	var many strings.Builder
	for i := range 1000 {
		fmt.Fprintf(&many, "License: /license/%d\n", i)
	}
	if c := newCrawl(t, many.String(), nil); len(c.asked) != 16 {
		t.Errorf("got %d files requested, want 16", len(c.asked))
	}
}

func TestSinkAnswerReturnsTheErrorOfStore(t *testing.T) {
	errFull := errors.New("disk is full")
	sink := corpus.NewBuilder(corpus.Options{Store: func(fetch.SiteFile) error { return errFull }}).Sink()
	if err := sink.Receive(farm, fetch.SiteFile{URL: farm + "/ai.txt"}); !errors.Is(err, errFull) {
		t.Errorf("got %v, want %v", err, errFull)
	}
	if err := corpus.NewBuilder(corpus.Options{}).Sink().Receive(farm, fetch.SiteFile{}); err != nil {
		t.Errorf("got %v without a store", err)
	}
}

func TestSinkRefusesWhatRobotsIsAgainst(t *testing.T) {
	c := newCrawl(t, trains, nil)
	refusal, ok := c.sink.Refuse(frontier.Item{URL: farm + "/reviews/1"}, c.robots)
	if !ok || refusal.Rule.Line != 2 || len(refusal.Records) != 2 {
		t.Errorf("got %+v, %v, want the rule of line 2 and two records", refusal, ok)
	}
	if refusal, ok := c.sink.Refuse(frontier.Item{URL: farm + "/"}, c.robots); ok {
		t.Errorf("got %+v, want the page not to be refused", refusal)
	}
	c = newCrawl(t, "Content-Signal: ai-train=no\n", nil)
	if refusal, ok := c.sink.Refuse(frontier.Item{URL: "%"}, c.robots); !ok || refusal.Rule.Line != 0 {
		t.Errorf("got %+v, %v, want a refusal without a rule", refusal, ok)
	}
}

func TestSinkAdmits(t *testing.T) {
	for name, test := range map[string]struct {
		tdmrep string
		header http.Header
		want   bool
	}{
		"nothing stated":               {"", nil, true},
		"a header against":             {"", http.Header{"X-Robots-Tag": {"noai"}}, false},
		"a reservation, and a head":    {`[{"location":"/","tdm-reservation":1}]`, http.Header{"Content-Type": {"text/html"}}, true},
		"a reservation, and no head":   {`[{"location":"/","tdm-reservation":1}]`, http.Header{"Content-Type": {"text/plain"}}, false},
		"a reservation for other URLs": {`[{"location":"/b","tdm-reservation":1}]`, http.Header{"Content-Type": {"text/plain"}}, true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrawl(t, "", func(c *crawl) {
				if test.tdmrep != "" {
					c.files[farm+"/.well-known/tdmrep.json"] = test.tdmrep
				}
			})
			e := &crawler.Visit{Item: frontier.Item{URL: farm + "/a"}, Robots: c.robots, Status: http.StatusOK, Header: test.header}
			if got := c.sink.Admit(e); got != test.want {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

// TestSinkKeeps checks the record of a page, and whether its body may be kept.
func TestSinkKeeps(t *testing.T) {
	const unread = "User-agent: *\nLicense: https://farm.example/missing.xml\n"
	for name, test := range map[string]struct {
		robots, body, header string
		consent              bool
		want, basis          string
		withheld             bool
	}{
		"in favor":                   {trains, "A text.", "", false, "in_favor", "token: allow:/", false},
		"nothing stated":             {"", "A text.", "", false, "none", "nothing stated", false},
		"nothing stated, no consent": {"", "A text.", "", true, "excluded", "nothing stated, and those are excluded", true},
		"against by the header":      {"", "A text.", "X-Robots-Tag: noai", false, "excluded", "robots_meta: header noai", true},
		"against by the head":        {trains, `<meta name="robots" content="noai">A text.`, "", false, "excluded", "robots_meta: meta noai", true},
		"a license that is unread":   {unread, "A text.", "", false, "hold", "rsl: license_unreadable", true},
	} {
		t.Run(name, func(t *testing.T) {
			c := newCrawl(t, test.robots, func(c *crawl) { c.options.Consent = test.consent })
			e := c.get(farm+"/a", test.body, test.header)
			if e.Withhold != test.withheld {
				t.Errorf("got withheld %v, want %v", e.Withhold, test.withheld)
			}
			var train, basis string
			for _, d := range rows[corpus.Document](t, c.root, corpus.JournalName) {
				train, basis = d.Train, d.TrainBasis
			}
			for _, x := range rows[corpus.Excluded](t, c.root, corpus.ExcludedName) {
				train, basis = x.Reason, x.Basis
			}
			if train != test.want || basis != test.basis {
				t.Errorf("got %s by %q, want %s by %q", train, basis, test.want, test.basis)
			}
			if evidence := rows[corpus.Evidence](t, c.root, corpus.EvidenceName); len(evidence) != 1 || evidence[0].Head == e.Refused {
				t.Errorf("got evidence %+v", evidence)
			}
		})
	}
}

func TestSinkKeepsTheStrictestOfRedirects(t *testing.T) {
	c := newCrawl(t, trains, nil)
	c.redirect(farm+"/go", farm+"/a", "X-Robots-Tag: noai")
	c.exchange(frontier.Item{URL: farm + "/a", Source: frontier.SourceRedirect, Via: farm + "/go"}, "", "A text.")
	evidence := rows[corpus.Evidence](t, c.root, corpus.EvidenceName)
	if len(evidence) != 2 || evidence[0].RedirectTo != farm+"/a" || len(evidence[1].Redirects) != 1 || evidence[1].Redirects[0] != evidence[0].ID {
		t.Fatalf("got %+v, want a redirect and a page that names it", evidence)
	}
	if got := rows[corpus.Excluded](t, c.root, corpus.ExcludedName); len(got) != 1 || got[0].Basis != "robots_meta: header noai" {
		t.Errorf("got %+v, want the page excluded by the redirect", got)
	}
	// A later run knows the redirect from its evidence.
	later := corpus.NewBuilder(c.options)
	for _, e := range evidence {
		if err := later.RecallEvidence(e, c.load); err != nil {
			t.Fatal(err)
		}
	}
	item := frontier.Item{URL: farm + "/a", Source: frontier.SourceRedirect, Via: farm + "/go"}
	e := &crawler.Visit{Item: item, Robots: c.robots, Status: http.StatusOK, Body: []byte("A text."), StartedAt: day(2)}
	if records, err := later.Sink().Keep(t.Context(), e); err != nil || len(records) != 2 || records[1].Output != corpus.OutputExcluded {
		t.Errorf("got %v, %v, want the page excluded after a restart", records, err)
	}
	errGone := errors.New("gone")
	if err := later.RecallEvidence(evidence[0], func(string) ([]byte, error) { return nil, errGone }); !errors.Is(err, errGone) {
		t.Errorf("got %v, want %v", err, errGone)
	}
}

func TestSinkRequestsTheLicensesOfAPage(t *testing.T) {
	const free = `<rsl><content url="/"><license><permits type="usage">ai-train</permits></license></content></rsl>`
	link := `Link: <` + farm + `/free.xml>; rel="license"; type="application/rsl+xml"`
	c := newCrawl(t, "", func(c *crawl) { c.files[farm+"/free.xml"] = free })
	c.get(farm+"/a", "A text.", link)
	c.get(farm+"/b", "A text.", link)
	if want := []string{"/.well-known/tdmrep.json", "/free.xml"}; !cmp.Equal(want, c.asked) {
		t.Errorf("got %v requested, want %v: each file once", c.asked, want)
	}
	for _, d := range rows[corpus.Document](t, c.root, corpus.JournalName) {
		if d.Train != string(signal.TrainInFavor) || d.TrainBasis != "rsl: permits ai-train, free" {
			t.Errorf("got %s by %s", d.Train, d.TrainBasis)
		}
	}
}

// TestSinkKeepsNoText has pages without a document.
func TestSinkKeepsNoText(t *testing.T) {
	errBroken := errors.New("broken")
	c := newCrawl(t, "", nil)
	page := func() *crawler.Visit {
		return &crawler.Visit{Item: frontier.Item{URL: farm + "/a"}, Robots: c.robots, Status: http.StatusOK, StartedAt: day(1)}
	}
	cut := page()
	cut.Page.Error = "connection lost"
	if records, err := c.sink.Keep(t.Context(), cut); err != nil || len(records) != 2 || !strings.Contains(string(records[1].Data), "connection lost") {
		t.Errorf("got %v, %v, want the page failed", records, err)
	}
	if records, err := c.sink.Keep(t.Context(), page()); err != nil || len(records) != 2 || records[1].Output != corpus.OutputFailed {
		t.Errorf("got %v, %v, want a page without text failed", records, err)
	}
	missing := page()
	missing.Status = http.StatusNotFound
	if records, err := c.sink.Keep(t.Context(), missing); err != nil || records != nil {
		t.Errorf("got %v, %v, want nothing of a 404", records, err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	c.options.Extract = func(context.Context, text.Page) (text.Result, error) {
		cancel()
		return text.Result{}, errBroken
	}
	sink := corpus.NewBuilder(c.options).Sink()
	if records, err := sink.Keep(ctx, page()); err != nil || records != nil {
		t.Errorf("got %v, %v, want nothing when the crawl ends", records, err)
	}
	if _, err := sink.Keep(t.Context(), page()); !errors.Is(err, errBroken) {
		t.Errorf("got %v, want %v", err, errBroken)
	}
}

func TestSinkAppliesOverrides(t *testing.T) {
	c := newCrawl(t, trains, func(c *crawl) {
		c.options.Overrides = signal.Overrides{{Pattern: farm + "/reviews/", License: "L-1", Approver: "legal", Expires: "2030-12-31"}}
	})
	c.get(farm+"/reviews/1", "A text.")
	if got := rows[corpus.Document](t, c.root, corpus.JournalName); len(got) != 1 || !strings.Contains(got[0].TrainBasis, "license L-1") {
		t.Errorf("got %+v, want the page admitted by its license", got)
	}
}
