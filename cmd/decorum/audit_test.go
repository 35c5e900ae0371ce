package main

import (
	"bytes"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// A shop with an index, a plain sitemap and gzip ones: every URL that it lists
// is judged, and the server sees the gap between requests.
func TestAuditOfAFullShop(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	shop := testsite.FullShop(site, 40, testsite.ShopOptions{})
	const delay = 15 * time.Millisecond
	code, out, errs := invoke("audit", "--delay", delay.String(), "--progress", "none", "--format", "json", site.URL())
	var report struct {
		audit.Report

		Findings []audit.Finding `json:"findings"`
	}
	if err := json.Unmarshal([]byte(out), &report); err != nil || code != exitFindings {
		t.Fatalf("got %d, %v, %q, %q", code, err, out, errs)
	}
	if report.URLs != len(shop.Listed) || report.Blocked != 1 || report.ForAll != 1 || len(report.Agents) != 7 {
		t.Errorf("got %+v, want %d URLs and one blocked for seven agents", report.Report, len(shop.Listed))
	}
	want := []audit.Finding{{
		Schema: "decorum.finding/1", Code: audit.CodeBlockedForAll, Severity: audit.SeverityError, URL: site.URL() + shop.DisallowedListed,
		Rule: "Disallow: /private/", Line: 5, RobotsURL: site.URL() + "/robots.txt", Sitemap: site.URL() + "/sitemap-pages-1.xml", SitemapLine: report.Findings[0].SitemapLine,
		Message: "blocked for all audited agents, by line 5, Disallow: /private/",
	}}
	blocked := slices.DeleteFunc(report.Findings, func(f audit.Finding) bool { return !f.Blocks() })
	if diff := cmp.Diff(want, blocked); diff != "" {
		t.Error(diff)
	}
	inFavor := len(shop.Articles)
	for _, path := range shop.Pages {
		if strings.HasPrefix(path, "/articles/") && !slices.Contains(shop.Articles, path) {
			inFavor++ // lists of articles
		}
	}
	if got := report.Training; got.InFavor != inFavor || got.Against != len(shop.Listed)-inFavor || got.None != 0 || len(got.Rules) != 1 || got.Rules[0].Rule != "Disallow: /" {
		t.Errorf("got %+v, want %d in favor of %d", got, inFavor, len(shop.Listed))
	}
	if got := len(web.Log()); got != 1+len(shop.Sitemaps) {
		t.Errorf("got %d requests, want robots.txt and %d sitemaps", got, len(shop.Sitemaps))
	}
	if faults := slices.Concat(web.RobotsFirst(), web.TooFast("shop", delay)); len(faults) > 0 {
		t.Error(faults)
	}
}

// A stopped audit leaves neither a report nor a part of one.
func TestAuditStopsOnASignal(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("slow")
	site.Robots("User-agent: *\nDisallow: /x\nSitemap: BASE/map.xml\n")
	signals := make(chan os.Signal, 1)
	site.Handle("/map.xml", func(w http.ResponseWriter, r *http.Request) {
		_, _ = w.Write([]byte("<urlset><url><loc>" + site.URL() + "/x</loc></url>"))
		_ = http.NewResponseController(w).Flush()
		signals <- os.Interrupt
		<-r.Context().Done()
	})
	folder := t.TempDir()
	var out, errs bytes.Buffer
	code := run(environment{
		args:   []string{"audit", "--delay", "0", "--progress", "none", "--format", "csv", "-o", folder + "/audit.csv", site.URL()},
		stdout: &out, stderr: &errs, getenv: func(string) string { return "" }, signals: func() (<-chan os.Signal, func()) { return signals, func() {} },
	})
	left, err := os.ReadDir(folder)
	if code != exitInterrupt || !strings.Contains(errs.String(), "stopped before the end; no report was written") || len(left) != 0 || err != nil {
		t.Errorf("got %d, %q, %v, %v", code, errs.String(), left, err)
	}
}

// One robots.txt that is down is told as that alone, and nothing is asked for.
func TestAuditWithoutRobots(t *testing.T) {
	web := testsite.New()
	defer web.Close()
	site := web.Site("down")
	site.Flaky("/robots.txt", -1, http.StatusServiceUnavailable, "")
	code, out, errs := invoke("audit", "--delay", "0", "--progress", "none", site.URL())
	if code != exitNothing || !strings.Contains(out, "No URL could be judged: the robots.txt of ") || strings.Contains(out, "sitemap-blocked") || !strings.Contains(errs, "since robots.txt could not be fetched") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if log := web.Log(); len(log) != 1 {
		t.Errorf("got %v asked, want robots.txt once", log)
	}
}
