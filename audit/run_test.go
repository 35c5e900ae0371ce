package audit

import (
	"context"
	"errors"
	"fmt"
	"io"
	"iter"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

// web is what sites answer, by URL; what is not there is not found.
type web map[string]string

func (w web) robots(_ context.Context, origin string) (*robots.Document, error) {
	document := &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: http.StatusNotFound}
	switch body, ok := w[document.FinalURL]; {
	case body == "down":
		document.Status = http.StatusServiceUnavailable
	case ok:
		document.Status, document.Body = http.StatusOK, []byte(body)
	}
	return document, nil
}

func (w web) open(_ context.Context, address string) (sitemap.Body, error) {
	body, ok := w[address]
	switch {
	case body == "blocked":
		verdict := robots.Verdict{Reason: robots.ReasonDisallowedByRule, Rule: robots.Rule{Line: 2, Value: "/s"}}
		return sitemap.Body{}, &BlockedError{Err: errors.New("blocked"), Verdict: verdict}
	case !ok:
		return sitemap.Body{}, errors.New("status 404")
	}
	return sitemap.Body{ReadCloser: io.NopCloser(strings.NewReader(body))}, nil
}

// urlset makes a sitemap; a line with two words has a lastmod.
func urlset(lines ...string) string {
	var b strings.Builder
	b.WriteString(`<?xml version="1.0"?>` + "\n" + `<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n")
	for _, line := range lines {
		loc, date, _ := strings.Cut(line, " ")
		if date != "" {
			date = "<lastmod>" + date + "</lastmod>"
		}
		fmt.Fprintf(&b, "<url><loc>%s</loc>%s</url>\n", loc, date)
	}
	return b.String() + "</urlset>\n"
}

const (
	shop     = "https://shop.example"
	sitemap1 = shop + "/sitemap.xml"
	named    = "Sitemap: " + sitemap1 + "\n"
)

// audited returns the findings as "code agent url line sitemap-line".
func audited(t *testing.T, w web, options Options) (*Report, []string) {
	t.Helper()
	var found []string
	if options.Agents == nil {
		options.Agents = []string{"decorum", "GPTBot"}
	}
	options.Robots, options.Open = w.robots, w.open
	options.OnFinding = func(f Finding) error {
		found = append(found, strings.TrimSpace(fmt.Sprintf("%s %s %s %d %d", f.Code, f.Agent, strings.TrimPrefix(f.URL, shop), f.Line, f.SitemapLine)))
		if f.Message == "" || f.Schema == "" || f.Severity == "" {
			t.Errorf("got %+v, want message, schema and severity", f)
		}
		return nil
	}
	report, err := Run(t.Context(), []string{shop + "/"}, options)
	if err != nil {
		t.Fatal(err)
	}
	return report, found
}

func TestFindings(t *testing.T) {
	same := make([]string, fewestDates)
	for i := range same {
		same[i] = fmt.Sprintf("%s/%d 2026-01-02", shop, i)
	}
	tests := []struct {
		name    string
		web     web
		options Options
		want    []string
	}{
		{name: "clean", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop + "/a")}},
		{
			name: "above the folder of a file that an index leads to, which robots.txt names",
			web: web{
				shop + "/robots.txt": "Sitemap: " + shop + "/maps/i.xml\n",
				shop + "/maps/i.xml": `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` + shop + `/maps/s.xml</loc></sitemap></sitemapindex>`,
				shop + "/maps/s.xml": urlset(shop + "/a"),
			},
		},
		{
			name:    "above the folder of a file that robots.txt does not name",
			web:     web{shop + "/robots.txt": named, shop + "/maps/s.xml": urlset(shop + "/a")},
			options: Options{Sitemaps: []string{shop + "/maps/s.xml"}},
			want:    []string{"sitemap-invalid   0 0"},
		},
		{
			name: "blocked for one",
			web:  web{shop + "/robots.txt": "User-agent: GPTBot\nDisallow: /a\n" + named, sitemap1: urlset(shop+"/a", shop+"/b")},
			want: []string{"blocked GPTBot /a 2 3"},
		},
		{
			name: "blocked for all, by rules of their own",
			web:  web{shop + "/robots.txt": "User-agent: *\nDisallow: /a\nUser-agent: GPTBot\nDisallow: /\n" + named, sitemap1: urlset(shop + "/a")},
			want: []string{"blocked-for-all  /a 2 3"},
		},
		{
			name: "sitemap by a relative URL", web: web{shop + "/robots.txt": "Sitemap: /sitemap.xml\n", sitemap1: urlset(shop + "/a")},
			want: []string{"sitemap-relative   1 0"},
		},
		{
			name: "sitemap blocked",
			web:  web{shop + "/robots.txt": named, sitemap1: "blocked"},
			want: []string{"sitemap-blocked   2 0"},
		},
		{name: "sitemap missing", web: web{shop + "/robots.txt": named}, want: []string{"sitemap-unreachable   0 0"}},
		{
			name: "not a sitemap", web: web{shop + "/robots.txt": named, sitemap1: "<!doctype html><title>x</title>"},
			want: []string{"not-a-sitemap   0 0"},
		},
		{name: "no sitemap", web: web{}, want: []string{"no-sitemap  / 0 0"}},
		{name: "sitemap not named", web: web{sitemap1: urlset(shop + "/a")}, want: []string{"sitemap-not-named  / 0 0"}},
		{
			name: "robots down", web: web{shop + "/robots.txt": "down", sitemap1: urlset(shop + "/a")}, options: Options{Sitemaps: []string{sitemap1}},
			want: []string{"robots-unreachable   0 0", "blocked-for-all  /a 0 3"},
		},
		{name: "robots down, nothing named", web: web{shop + "/robots.txt": "down", sitemap1: urlset(shop + "/a")}, want: []string{"robots-unreachable   0 0"}},
		{
			name: "other host", web: web{shop + "/robots.txt": named, sitemap1: urlset("https://other.example/a")},
			want: []string{"other-host  https://other.example/a 0 3", "sitemap-invalid   0 0"},
		},
		{
			name: "other host that names the sitemap",
			web: web{
				shop + "/robots.txt": named, sitemap1: urlset("https://other.example/a"),
				"https://other.example/robots.txt": "User-agent: GPTBot\nDisallow: /a\n" + named,
			},
			want: []string{"blocked GPTBot https://other.example/a 2 3", "sitemap-invalid   0 0"},
		},
		{
			name: "not canonical", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop + "/A")},
			options: Options{Canonical: func(s string) (string, error) { return strings.ToLower(s), nil }},
			want:    []string{"non-canonical  /A 0 3"},
		},
		{
			name: "cannot be sent", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop + "/A")},
			options: Options{Canonical: func(string) (string, error) { return "", errors.New("no") }},
			want:    []string{"non-canonical  /A 0 3"},
		},
		{
			name: "duplicate", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop+"/a", shop+"/a")},
			want: []string{"duplicate  /a 0 4"},
		},
		{
			name: "http among https", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop+"/a", "http://shop.example/a", "http://shop.example/b", shop+"/c", shop+"/d")},
			want: []string{"scheme-mix  http://shop.example/a 0 4"},
		},
		{
			name: "http alone", web: web{shop + "/robots.txt": named, "http://shop.example/robots.txt": "User-agent: *\nDisallow: /b", sitemap1: urlset("http://shop.example/a", "http://shop.example/b")},
			want: []string{"blocked-for-all  http://shop.example/b 2 4"},
		},
		{
			name: "lastmod to come", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop + "/a 2999-01-01")},
			want: []string{"lastmod-future  /a 0 3"},
		},
		{
			name: "lastmod all the same", web: web{shop + "/robots.txt": named, sitemap1: urlset(same...)},
			want: []string{"lastmod-all-same   0 0"},
		},
		{
			name: "too many", web: web{shop + "/robots.txt": named, sitemap1: urlset(numbered(50_001)...)},
			want: []string{"too-large   0 50003", "sitemap-invalid   0 0"},
		},
		{
			name: "too long", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop+"/a</loc></url>"+strings.Repeat("\t", 50<<20)+"<url><loc>"+shop+"/b", shop+"/c")},
			want: []string{"too-large   0 3"},
		},
		{
			name: "cut, but not for its length", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop+"/a", shop+"/b")},
			options: Options{Sitemap: sitemap.Options{MaxBytes: 120}},
			want:    []string{"sitemap-invalid   0 0"},
		},
		{
			name: "sitemap blocked for some who may read the home page",
			web: web{
				shop + "/robots.txt": "User-agent: Googlebot\nDisallow: /sitemap\nUser-agent: GPTBot\nDisallow: /\n" + named,
				sitemap1:             urlset(shop + "/a"),
			},
			options: Options{Agents: []string{"decorum", "Googlebot", "GPTBot"}},
			want:    []string{"blocked GPTBot /a 4 3", "sitemap-blocked Googlebot  2 0"},
		},
		{
			name: "sitemap blocked for all",
			web:  web{shop + "/robots.txt": "User-agent: *\nDisallow: /sitemap\n" + named, sitemap1: urlset(shop + "/a")},
			want: []string{"sitemap-blocked   2 0"},
		},
		{
			name: "training split",
			web:  web{shop + "/robots.txt": "User-agent: __usage_ai-training\nDisallow: /a\n" + named, sitemap1: urlset(shop+"/a", shop+"/b")},
			want: []string{"training-split __usage_ai-training / 0 0"},
		},
		{
			name: "own", web: web{shop + "/robots.txt": named, sitemap1: urlset(shop + "/a")}, options: Options{Own: []string{"shop.example"}},
			want: []string{"own  shop.example 0 0"},
		},
		{
			name: "known", web: web{shop + "/robots.txt": "User-agent: GPTBot\nDisallow: /\n" + named, sitemap1: urlset(shop+"/a", shop+"/b")},
			options: Options{Known: func(f Finding) bool { return strings.HasSuffix(f.URL, "/a") }},
			want:    []string{"blocked GPTBot /b 2 4"},
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, found := audited(t, test.web, test.options)
			if diff := cmp.Diff(test.want, found); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestReportCounts(t *testing.T) {
	index := `<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9"><sitemap><loc>` + shop + `/one.xml</loc></sitemap><sitemap><loc>` + shop + `/two.xml</loc></sitemap></sitemapindex>`
	w := web{
		shop + "/robots.txt": "User-agent: *\nDisallow: /x\n\nUser-agent: GPTBot\nDisallow: /\n\nUser-agent: __usage_ai-training\nAllow: /\n" + named,
		sitemap1:             index,
		shop + "/one.xml":    urlset(shop+"/x/1", shop+"/x/2", shop+"/x/3", shop+"/x/4"),
		shop + "/two.xml":    urlset(shop+"/a", shop+"/b"),
	}
	report, _ := audited(t, w, Options{Agents: []string{"decorum", "Googlebot", "GPTBot"}})
	if report.URLs != 6 || report.Blocked != 6 || report.ForAll != 4 || report.NewBlocks != 6 || !report.Readable() {
		t.Errorf("got %+v", report)
	}
	agents := []AgentCount{{"decorum", "*", 2, 4}, {"Googlebot", "*", 2, 4}, {"GPTBot", "gptbot", 0, 6}}
	if diff := cmp.Diff(agents, report.Agents); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(TrainingCount{InFavor: 6, Rules: []RuleCount{}}, report.Training); diff != "" {
		t.Error(diff)
	}
	var rules []string
	for _, r := range report.Rules {
		rules = append(rules, fmt.Sprint(r.Line, r.Rule, r.Agents, r.URLs, len(r.Examples)))
	}
	if diff := cmp.Diff([]string{"5Disallow: /[GPTBot] 6 3", "2Disallow: /x[decorum Googlebot] 4 3"}, rules); diff != "" {
		t.Error(diff)
	}
	var files []string
	for _, s := range report.Sitemaps {
		files = append(files, fmt.Sprint(strings.TrimPrefix(s.URL, shop), s.Kind, s.Entries, s.Blocked))
	}
	if diff := cmp.Diff([]string{"/sitemap.xmlsitemapindex2 0", "/one.xmlurlset4 4", "/two.xmlurlset2 2"}, files); diff != "" {
		t.Error(diff)
	}
}

// A line that decides in several groups counts a URL once, whatever is
// between; and findings of the baseline do not count.
func TestRulesCountAURLOnce(t *testing.T) {
	w := web{
		shop + "/robots.txt": "User-agent: a\nUser-agent: c\nDisallow: /x\n\nUser-agent: b\nDisallow: /x\n" + named,
		sitemap1:             urlset(shop+"/x", shop+"/y"),
	}
	known := func(agents ...string) Options {
		return Options{Agents: []string{"a", "b", "c", "d"}, Known: func(f Finding) bool { return slices.Contains(agents, f.Agent) }}
	}
	for _, test := range []struct {
		known []string
		want  string
	}{{nil, "[3 [a c] 1 6 [b] 1]"}, {[]string{"a"}, "[3 [c] 1 6 [b] 1]"}, {[]string{"a", "c"}, "[6 [b] 1]"}} {
		report, _ := audited(t, w, known(test.known...))
		var rules []any
		for _, r := range report.Rules {
			rules = append(rules, r.Line, r.Agents, r.URLs)
		}
		if got := fmt.Sprint(rules); got != test.want || report.Blocked != 1 {
			t.Errorf("known %v: got %s, want %s", test.known, got, test.want)
		}
	}
}

// The training token is not a crawler: it never falls back to the rules for "*".
func TestTrainingTokenIsNoAgent(t *testing.T) {
	w := web{shop + "/robots.txt": "User-agent: *\nDisallow: /\n" + named, sitemap1: urlset(shop + "/a")}
	listed := []Listed{}
	report, found := audited(t, w, Options{
		Agents: []string{"__usage_AI-training"},
		OnURL:  func(l Listed) error { listed = append(listed, l); return nil },
	})
	if len(found) != 0 || len(report.Agents) != 0 || report.Training.None != 1 || report.Blocked != 0 || len(listed) != 1 || listed[0].Blocked {
		t.Errorf("got %v, %+v, %+v", found, report, listed)
	}
}

func TestTrainingIsCountedByRule(t *testing.T) {
	w := web{
		shop + "/robots.txt": "User-agent: *\nDisallow: /\nUser-agent: __usage_ai-training\nDisallow: /art/\nDisallow: /art/old/\nAllow: /art/free\n" + named,
		sitemap1:             urlset(shop+"/a", shop+"/art/1", shop+"/art/2", shop+"/art/free", shop+"/art/old/1"),
	}
	report, _ := audited(t, w, Options{})
	want := TrainingCount{InFavor: 2, Against: 3, Rules: []RuleCount{
		{
			RobotsURL: shop + "/robots.txt", Line: 4, Rule: "Disallow: /art/", Agents: []string{robots.TrainingToken}, URLs: 2,
			Examples: []Example{{shop + "/art/1", sitemap1, 4}, {shop + "/art/2", sitemap1, 5}},
		},
		{
			RobotsURL: shop + "/robots.txt", Line: 5, Rule: "Disallow: /art/old/", Agents: []string{robots.TrainingToken}, URLs: 1,
			Examples: []Example{{shop + "/art/old/1", sitemap1, 7}},
		},
	}}
	if diff := cmp.Diff(want, report.Training); diff != "" {
		t.Error(diff)
	}
}

func TestFindingsCanStopAnAudit(t *testing.T) {
	w := web{shop + "/robots.txt": "User-agent: *\nDisallow: /\n" + named, sitemap1: urlset(shop+"/a", shop+"/b")}
	stop := errors.New("disk full")
	_, err := Run(t.Context(), []string{shop}, Options{
		Agents: []string{"*"}, Robots: w.robots, Open: w.open, OnFinding: func(Finding) error { return stop },
	})
	if !errors.Is(err, stop) {
		t.Errorf("got %v, want %v", err, stop)
	}
}

func TestSeen(t *testing.T) {
	x := newSeen(5000)
	for i := range uint32(5000) {
		s := fmt.Sprint("https://shop.example/", i)
		if _, isNew := x.add(s, i); !isNew {
			t.Fatalf("%s: want new", s)
		}
		if first, isNew := x.add(s, 7); isNew || first != i {
			t.Fatalf("%s: got %d, %v, want %d and not new", s, first, isNew, i)
		}
	}
	if x.full {
		t.Error("got full at the limit, want it beyond")
	}
	if _, isNew := x.add("one more", 0); !isNew || !x.full || len(x.hashes) > 8192 {
		t.Errorf("got %v, %v, %d places, want the set closed", isNew, x.full, len(x.hashes))
	}
}

func TestDuplicateNamesTheFirstFile(t *testing.T) {
	w := web{
		shop + "/robots.txt": "Sitemap: " + shop + "/one.xml\nSitemap: " + shop + "/two.xml\n",
		shop + "/one.xml":    urlset(shop + "/a"), shop + "/two.xml": urlset(shop+"/b", shop+"/a"),
	}
	report, found := audited(t, w, Options{})
	if diff := cmp.Diff([]string{"duplicate  /a 0 4"}, found); diff != "" {
		t.Error(diff)
	}
	want := "the URL is already listed in " + shop + "/one.xml"
	if got := report.Examples[0].Findings[0]; got.Message != want || got.Sitemap != shop+"/two.xml" {
		t.Errorf("got %+v, want %q", got, want)
	}
}

// A site cannot speak for another one that is audited in the same run.
func TestSitesDoNotVouchForEachOther(t *testing.T) {
	const farm = "https://farm.example"
	w := web{
		shop + "/robots.txt": named, sitemap1: urlset(shop + "/a"),
		farm + "/robots.txt": "Sitemap: " + farm + "/map.xml\n", farm + "/map.xml": urlset(shop+"/b", farm+"/a"),
	}
	w[sitemap1] = urlset(farm+"/a", shop+"/a") // what does not count here counts there
	var codes []string
	report, err := Run(t.Context(), []string{shop, farm}, Options{
		Agents: []string{"*"}, Robots: w.robots, Open: w.open,
		OnFinding: func(f Finding) error { codes = append(codes, string(f.Code)+" "+f.URL); return nil },
	})
	if err != nil || report.URLs != 2 {
		t.Errorf("got %+v, %v, want two URLs", report, err)
	}
	if diff := cmp.Diff([]string{"other-host " + farm + "/a", "sitemap-invalid ", "other-host " + shop + "/b", "sitemap-invalid "}, codes); diff != "" {
		t.Error(diff)
	}
}

func TestOtherHostsAreBounded(t *testing.T) {
	lines := make([]string, 3*maxHosts)
	for i := range lines {
		lines[i] = fmt.Sprintf("https://h%d.example/", i)
	}
	index := "<sitemapindex>"
	for i := range lines {
		index += fmt.Sprintf("<sitemap><loc>https://m%d.example/map.xml</loc></sitemap>", i)
	}
	w := web{shop + "/robots.txt": named + "Sitemap: " + shop + "/index.xml\n", sitemap1: urlset(lines...), shop + "/index.xml": index + "</sitemapindex>"}
	asked := map[string]bool{}
	_, err := Run(t.Context(), []string{shop}, Options{
		Agents: []string{"*"},
		Robots: func(ctx context.Context, origin string) (*robots.Document, error) {
			asked[origin] = true
			return w.robots(ctx, origin)
		},
		Open: func(ctx context.Context, address string) (sitemap.Body, error) {
			origin, _ := originOf(address)
			asked[origin] = true
			return w.open(ctx, address)
		},
	})
	if err != nil || len(asked) != maxHosts+1 {
		t.Errorf("got %d origins asked, %v, want %d and the site", len(asked), err, maxHosts)
	}
}

func numbered(n int) []string {
	lines := make([]string, n)
	for i := range lines {
		lines[i] = fmt.Sprint(shop, "/", i)
	}
	return lines
}

// bigSite lists a million URLs in twenty files of 50,000.
func bigSite(rules string) Options {
	const files, each = 20, 50_000
	var index strings.Builder
	index.WriteString(`<sitemapindex xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">`)
	for i := range files {
		fmt.Fprintf(&index, "<sitemap><loc>%s/map-%d.xml</loc></sitemap>", shop, i)
	}
	index.WriteString("</sitemapindex>")
	w := web{shop + "/robots.txt": rules + named, sitemap1: index.String()}
	return Options{
		Agents: append([]string{"decorum"}, DefaultAgents()...), Robots: w.robots,
		Open: func(ctx context.Context, address string) (sitemap.Body, error) {
			var n int
			if _, err := fmt.Sscanf(address, shop+"/map-%d.xml", &n); err != nil {
				return w.open(ctx, address)
			}
			return sitemap.Body{ReadCloser: io.NopCloser(readerOf(lines(n*each, each)))}, nil
		},
	}
}

func lines(first, n int) iter.Seq[string] {
	return func(yield func(string) bool) {
		if !yield(`<urlset xmlns="http://www.sitemaps.org/schemas/sitemap/0.9">` + "\n") {
			return
		}
		for i := range n {
			if !yield(fmt.Sprintf("<url><loc>%s/category-%d/product-%d.html</loc><lastmod>2026-11-%02d</lastmod></url>\n", shop, i%100, first+i, 1+i%28)) {
				return
			}
		}
		yield("</urlset>\n")
	}
}

// readerOf reads strings as they come.
func readerOf(parts iter.Seq[string]) io.Reader {
	next, _ := iter.Pull(parts)
	rest := ""
	return readerFunc(func(p []byte) (int, error) {
		n := 0
		for n < len(p) {
			if rest == "" {
				var ok bool
				if rest, ok = next(); !ok {
					break
				}
			}
			c := copy(p[n:], rest)
			rest, n = rest[c:], n+c
		}
		if n == 0 {
			return 0, io.EOF
		}
		return n, nil
	})
}

type readerFunc func([]byte) (int, error)

func (f readerFunc) Read(p []byte) (int, error) { return f(p) }

// BenchmarkMillion judges a million URLs for eight columns: seven agents in
// three groups, and the training preference.
func BenchmarkMillion(b *testing.B) {
	rules := "User-agent: *\nDisallow: /category-7/\nDisallow: /*?sort=\n\nUser-agent: GPTBot\nUser-agent: CCBot\nDisallow: /category-1\n\n" +
		"User-agent: Googlebot\nDisallow: /nothing\n\nUser-agent: __usage_ai-training\nDisallow: /category-2\n"
	options := bigSite(rules)
	b.ReportAllocs()
	for b.Loop() {
		report, err := Run(b.Context(), []string{shop}, options)
		if err != nil || report.URLs != 1_000_000 {
			b.Fatalf("got %+v, %v", report, err)
		}
	}
}
