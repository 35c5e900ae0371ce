package corpus_test

import (
	"context"
	"errors"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// rechecker requests the files of the crawl's site in their current state.
func (c *crawl) rechecker() *corpus.Rechecker {
	return &corpus.Rechecker{
		Options: c.options, Load: c.load, File: c.fetch,
		Robots: func(context.Context, string) (*robots.Document, error) { return c.robots, nil },
		Header: func(_ context.Context, address string) (int, http.Header, error) {
			if address == farm+"/go" {
				return http.StatusFound, http.Header{"Location": {farm + "/target"}}, nil
			}
			return http.StatusOK, http.Header{}, nil
		},
	}
}

// recheck returns the result for each document.
func (c *crawl) recheck(r *corpus.Rechecker) map[string]corpus.Rechecked {
	c.t.Helper()
	found := map[string]corpus.Rechecked{}
	err := r.Each(c.t.Context(), c.root, func(n corpus.Rechecked) error {
		found[strings.TrimPrefix(n.Evidence.URL, farm)] = n
		return nil
	})
	if err != nil {
		c.t.Fatal(err)
	}
	return found
}

func (c *crawl) newRobots(status int, body string) {
	c.robots = &robots.Document{Origin: farm, FinalURL: farm + "/robots.txt", Status: status, Body: []byte(body)}
}

func TestRecheckOfWhatIsAsItWas(t *testing.T) {
	c := newFarm(t)
	c.asked = nil
	found := c.recheck(c.rechecker())
	for address, n := range found {
		if n.Decision.Train != signal.TrainInFavor || len(n.Holds)+len(n.Unreached) > 0 {
			t.Errorf("%s: got %+v", address, n)
		}
	}
	if len(found) != 4 || len(c.asked) != 1 {
		t.Errorf("got %d documents and %v requested, want 4 and tdmrep.json once", len(found), c.asked)
	}
}

func TestRecheckFindsWhatIsAgainst(t *testing.T) {
	c := newFarm(t)
	c.newRobots(http.StatusOK, "User-agent: "+robots.TrainingToken+"\nDisallow: /a\nAllow: /\n")
	r := c.rechecker()
	header := r.Header
	r.Header = func(ctx context.Context, address string) (int, http.Header, error) {
		status, lines, err := header(ctx, address)
		if address == farm+"/go" {
			lines.Set("X-Robots-Tag", "noai")
		}
		return status, lines, err
	}
	found := c.recheck(r)
	for address, basis := range map[string]string{"/a": "token: disallow:/a", "/target": "robots_meta: header noai"} {
		n := found[address]
		if n.Decision.Train != signal.TrainExcluded || n.Decision.Basis != basis {
			t.Errorf("%s: got %+v, want it excluded by %s", address, n.Decision, basis)
		}
		removal := n.Removal(day(9))
		if removal.ID != n.Evidence.ID || removal.URL != farm+address || removal.At != "2026-01-09T10:00:00Z" || removal.Basis != basis {
			t.Errorf("got %+v", removal)
		}
	}
	if n := found["/b"]; n.Decision.Train != signal.TrainInFavor {
		t.Errorf("got %+v", n)
	}
}

func TestRecheckOfASiteThatDoesNotAnswer(t *testing.T) {
	c := newFarm(t)
	c.newRobots(http.StatusServiceUnavailable, "")
	for address, n := range c.recheck(c.rechecker()) {
		if n.Decision.Train != signal.TrainHold || len(n.Unreached) == 0 || len(n.Holds) != 1 || n.Holds[0].Origin != farm {
			t.Errorf("%s: got %+v, want it held", address, n)
		}
	}
}

// TestRecheckOfPagesThatDoNotAnswer applies their recorded headers.
func TestRecheckOfPagesThatDoNotAnswer(t *testing.T) {
	errLost := errors.New("connection lost")
	c := newCrawl(t, "", nil)
	c.get(farm+"/a", `<meta name="robots" content="noindex">A text.`, "Content-Signal: ai-train=yes")
	for name, test := range map[string]struct {
		status int
		header http.Header
		err    error
		cause  string // why it is unreached; empty: it has changed
	}{
		"an error":   {err: errLost, cause: "connection lost"},
		"a 503":      {status: 503, cause: "answered 503 Service Unavailable"},
		"a 429":      {status: 429, cause: "answered 429 Too Many Requests"},
		"a 404":      {status: 404},
		"a redirect": {status: 302, header: http.Header{"Location": {"/"}}},
		"a rule":     {err: &fetch.BlockedError{}},
	} {
		r := c.rechecker()
		r.Header = func(context.Context, string) (int, http.Header, error) { return test.status, test.header, test.err }
		n := c.recheck(r)["/a"]
		if n.Decision.Train != signal.TrainInFavor {
			t.Errorf("%s: got %+v", name, n.Decision)
		}
		unreached, changed := []corpus.Unreached{{URL: farm + "/a", Cause: test.cause}}, []string(nil)
		if test.cause == "" {
			unreached, changed = nil, []string{farm + "/a"}
		}
		if !slices.Equal(n.Unreached, unreached) || !slices.Equal(n.Changed, changed) {
			t.Errorf("%s: got %v unreached, %v changed", name, n.Unreached, n.Changed)
		}
	}
	if n := c.recheck(c.rechecker())["/a"]; len(n.Unreached) > 0 || n.Decision.Train != signal.TrainNone {
		t.Errorf("got %+v, want the header that is there now to count", n)
	}
	c.options.Consent = true
	if n := c.recheck(c.rechecker())["/a"]; n.Decision.Train != signal.TrainExcluded {
		t.Errorf("got %+v, want it excluded without consent", n)
	}
}

// TestRecheckOfFilesThatDoNotAnswer applies the recorded files.
func TestRecheckOfFilesThatDoNotAnswer(t *testing.T) {
	const reserved = `[{"location":"/a","tdm-reservation":0}]`
	c := newCrawl(t, "", func(c *crawl) {
		c.options.AITxt = true
		c.files[farm+"/.well-known/tdmrep.json"] = reserved
		c.files[farm+"/ai.txt"] = "User-agent: *\nAllow: /a\n"
	})
	c.get(farm+"/a", "A text.")
	r := c.rechecker()
	r.File = func(_ context.Context, address string) fetch.SiteFile {
		return fetch.SiteFile{URL: address, Status: 503}
	}
	n := c.recheck(r)["/a"]
	for _, s := range n.Decision.Signals {
		if (s.Signal == signal.NameTDMRep || s.Signal == signal.NameAITxt) && s.Value != robots.PreferenceInFavor {
			t.Errorf("got %+v, want what was recorded", s)
		}
	}
	if n.Decision.Train != signal.TrainInFavor {
		t.Errorf("got %+v", n.Decision)
	}
	for _, body := range []string{reserved, c.files[farm+"/ai.txt"]} {
		c.remove("files/" + sum([]byte(body)))
		if err := r.Each(t.Context(), c.root, func(corpus.Rechecked) error { return nil }); !errors.Is(err, os.ErrNotExist) {
			t.Errorf("got %v, want that a kept file is missing", err)
		}
		c.keepFile([]byte(reserved))
	}
}

func TestRecheckRequestsTheLicensesOfAPage(t *testing.T) {
	const terms = `<rsl><content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content></rsl>`
	c := newCrawl(t, "", nil)
	c.get(farm+"/a", "A text.")
	c.files[farm+"/terms.xml"] = terms
	r := c.rechecker()
	r.Header = func(context.Context, string) (int, http.Header, error) {
		return 200, http.Header{"Link": {`</terms.xml>; rel="license"; type="application/rsl+xml"`}}, nil
	}
	if n := c.recheck(r)["/a"]; n.Decision.Train != signal.TrainExcluded || n.Decision.Basis != "rsl: prohibits ai-train" {
		t.Errorf("got %+v", n.Decision)
	}
}

func TestRecheckErrors(t *testing.T) {
	errOwn := errors.New("own")
	none := func(corpus.Rechecked) error { return nil }
	c := newFarm(t)
	r := c.rechecker()
	r.Robots = func(context.Context, string) (*robots.Document, error) { return nil, errOwn }
	if err := r.Each(t.Context(), c.root, none); !errors.Is(err, errOwn) {
		t.Errorf("got %v, want the error of Robots", err)
	}
	r = c.rechecker()
	r.Options.Store = func(fetch.SiteFile) error { return errOwn }
	if err := r.Each(t.Context(), c.root, none); !errors.Is(err, errOwn) {
		t.Errorf("got %v, want the error of Store", err)
	}
	if err := c.rechecker().Each(t.Context(), c.root, func(corpus.Rechecked) error { return errOwn }); !errors.Is(err, errOwn) {
		t.Errorf("got %v, want the error of the callback", err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := c.rechecker().Each(ctx, c.root, none); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v, want the end of the context", err)
	}
	for _, name := range []string{corpus.JournalName, corpus.EvidenceName} {
		c := newFarm(t)
		if err := damage(name)(c.root); err != nil {
			t.Fatal(err)
		}
		if err := c.rechecker().Each(t.Context(), c.root, none); !errors.Is(err, jsonl.ErrRow) {
			t.Errorf("%s: got %v, want %v", name, err, jsonl.ErrRow)
		}
	}
	c.edit(corpus.EvidenceName, `"redirect_to":"`+farm+`/target"`, `"redirect_to":""`)
	if err := c.rechecker().Each(t.Context(), c.root, none); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("got %v, want that a redirect is missing", err)
	}
}
