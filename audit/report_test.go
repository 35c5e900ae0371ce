package audit

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRenameSitemaps(t *testing.T) {
	const served = "https://shop.example/map.xml"
	report := func(file string) *Report {
		rule := func() RuleCount {
			return RuleCount{Rule: "Disallow: /x", Examples: []Example{{URL: served, Sitemap: file, Line: 3}}}
		}
		return &Report{
			Sitemaps: []SitemapFile{{URL: file}, {URL: "https://shop.example/other.xml", Parent: file}},
			Rules:    []RuleCount{rule()},
			Training: TrainingCount{Rules: []RuleCount{rule()}},
			Examples: []CodeExamples{{Code: CodeDuplicate, Findings: []Finding{{Code: CodeDuplicate, URL: served, Sitemap: file}}}},
		}
	}
	got := report(served)
	got.RenameSitemaps(func(address string) string { return strings.Replace(address, served, "public/map.xml", 1) })
	if diff := cmp.Diff(report("public/map.xml"), got); diff != "" {
		t.Errorf("got +, want -:\n%s", diff)
	}
}
