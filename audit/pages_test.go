package audit

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestPages(t *testing.T) {
	ok := func(page Page) Page {
		page.HTML = true
		if page.Status == 0 && page.Error == "" {
			page.Status = 200
		}
		return page
	}
	tests := []struct {
		name string
		page Page
		want string
	}{
		{"fine", ok(Page{URL: "/a"}), "[]"},
		{"canonical to itself", ok(Page{URL: "/a", Canonical: "/a"}), "[]"},
		{"missing page", ok(Page{URL: "/a", Status: 404}), "[page-status]"},
		{"no answer", ok(Page{URL: "/a", Error: "timeout"}), "[page-status]"},
		{"redirect", ok(Page{URL: "/a", Status: 301, RedirectTo: "/b"}), "[page-redirected]"},
		{"noindex", ok(Page{URL: "/a", NoIndex: true, Directives: []string{"noindex"}}), "[page-noindex]"},
		{"noindex for an audited agent", ok(Page{URL: "/a", Scoped: map[string][]string{"googlebot": {"nofollow", "noindex"}}}), "[page-noindex Googlebot]"},
		{"noindex for another agent", ok(Page{URL: "/a", Scoped: map[string][]string{"otherbot": {"none"}}}), "[]"},
		{"noindex for all and one", ok(Page{URL: "/a", NoIndex: true, Scoped: map[string][]string{"googlebot": {"none"}}}), "[page-noindex]"},
		{"canonical elsewhere", ok(Page{URL: "/a", Canonical: "/b"}), "[page-canonical-elsewhere]"},
		{"two at once", ok(Page{URL: "/a", NoIndex: true, Canonical: "/b"}), "[page-noindex page-canonical-elsewhere]"},
		{"not listed", ok(Page{URL: "/x", Listable: true}), "[missing]"},
		{"not listed and a redirect's target", ok(Page{URL: "/x"}), "[]"},
		{"not listed and rightly so", ok(Page{URL: "/x", Listable: true, NoIndex: true}), "[]"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			p := NewPages("decorum", "*", "Googlebot")
			p.List(Listed{URL: "/a", Sitemap: "/s.xml", Line: 3})
			codes := []string{}
			for _, f := range p.Judge(test.page) {
				codes = append(codes, strings.TrimSpace(string(f.Code)+" "+f.Agent))
				if f.Message == "" || f.URL != test.page.URL || f.Code != CodeMissing && f.SitemapLine != 3 {
					t.Errorf("got %+v", f)
				}
			}
			if got := fmt.Sprint(codes); got != test.want {
				t.Errorf("got %s, want %s", got, test.want)
			}
		})
	}
}

func TestPagesOrphans(t *testing.T) {
	p := NewPages()
	for _, address := range []string{"/met", "/blocked", "/trap", "/orphan"} {
		p.List(Listed{URL: address})
	}
	p.List(Listed{URL: "/forbidden", Blocked: true})
	p.Judge(Page{URL: "/met", Status: 200})
	if got := p.Skip("/blocked", "robots-disallow"); got != nil {
		t.Errorf("got %+v, want nothing twice", got)
	}
	if got := p.Skip("/trap", "trap"); len(got) != 1 || got[0].Code != CodePageUnfetched {
		t.Errorf("got %+v", got)
	}
	var orphans []string
	err := p.Orphans(func(f Finding) error {
		orphans = append(orphans, f.URL)
		return nil
	})
	if diff := cmp.Diff([]string{"/orphan"}, orphans); diff != "" || err != nil {
		t.Error(diff, err)
	}
}
