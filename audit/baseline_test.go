package audit_test

import (
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/audit"
)

const (
	knownLine   = `{"schema":"decorum.finding/1","code":"blocked","url":"https://shop.example/cart","agent":"GPTBot","rule":"Disallow: /cart","line":7,"sitemap":"https://shop.example/a.xml","sitemap_line":3}` + "\n"
	summaryLine = `{"schema":"decorum.summary/1"}` + "\n"
)

func TestBaselineKnowsFindingsOfBothForms(t *testing.T) {
	for name, text := range map[string]string{
		"jsonl": knownLine + summaryLine,
		"json":  `{"schema":"decorum.report/1","findings":[` + knownLine + `]}`,
	} {
		b, err := audit.ReadBaseline(strings.NewReader(text))
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		known := audit.Finding{Code: audit.CodeBlocked, URL: "https://shop.example/cart", Agent: "GPTBot", Rule: "Disallow: /cart"}
		moved := known
		moved.Line, moved.Sitemap, moved.SitemapLine, moved.Message = 9, "https://shop.example/b.xml", 12, "moved"
		for _, f := range []audit.Finding{known, moved} {
			if !b.Has(f) {
				t.Errorf("%s: got unknown, want known: %+v", name, f)
			}
		}
		for _, change := range []func(*audit.Finding){
			func(f *audit.Finding) { f.Code = audit.CodeBlockedForAll },
			func(f *audit.Finding) { f.URL += "/x" },
			func(f *audit.Finding) { f.Agent = "CCBot" },
			func(f *audit.Finding) { f.Rule = "Disallow: /" },
			func(f *audit.Finding) { f.Agent, f.Rule = "", f.Agent+f.Rule },
		} {
			f := known
			change(&f)
			if b.Has(f) {
				t.Errorf("%s: got known, want unknown: %+v", name, f)
			}
		}
	}
}

// A finding without a URL is about its sitemap.
func TestBaselineTellsSitemapsApart(t *testing.T) {
	b, err := audit.ReadBaseline(strings.NewReader(`{"schema":"decorum.finding/1","code":"too-large","sitemap":"https://shop.example/a.xml"}` + summaryLine))
	if err != nil {
		t.Fatal(err)
	}
	for sitemap, want := range map[string]bool{"https://shop.example/a.xml": true, "https://shop.example/b.xml": false} {
		if got := b.Has(audit.Finding{Code: audit.CodeTooLarge, Sitemap: sitemap}); got != want {
			t.Errorf("got %v, want %v of %s", got, want, sitemap)
		}
	}
}

func TestReadBaselineRefusesWhatIsNoWholeAudit(t *testing.T) {
	for text, want := range map[string]string{
		"":                                 "ends without a summary",
		knownLine:                          "ends without a summary",
		knownLine + `{"schema":`:           "decode findings: unexpected EOF",
		`{"schema":"decorum.page/1"}`:      `schema "decorum.page/1", which no audit writes`,
		"url,agent\nhttps://shop.example/": "decode findings: invalid character",
	} {
		if _, err := audit.ReadBaseline(strings.NewReader(text)); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("got %v, want an error with %q of %.30q", err, want, text)
		}
	}
}

func TestNilBaselineHasNothing(t *testing.T) {
	var b *audit.Baseline
	if b.Has(audit.Finding{Code: audit.CodeBlocked}) {
		t.Error("got a known finding, want none")
	}
}
