package format

import (
	"bytes"
	"encoding/csv"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/internal/sarif/sariftest"
)

var update = flag.Bool("update", false, "renew the golden files")

// hostile is a URL as an enemy would list it.
const hostile = `=HYPERLINK("http://evil.example";"x")<script>&"'` + "\u202e"

func sample() (*audit.Report, []audit.Finding) {
	finding := func(code audit.Code, url, agent, rule string, line, sitemapLine int, message string) audit.Finding {
		return audit.Finding{
			Schema: "decorum.finding/1", Code: code, Severity: audit.SeverityOf(code), URL: url, Agent: agent, Rule: rule, Line: line,
			RobotsURL: "https://shop.example/robots.txt", Sitemap: "https://shop.example/sitemap.xml", SitemapLine: sitemapLine, Message: message,
		}
	}
	findings := []audit.Finding{
		finding(audit.CodeBlockedForAll, "https://shop.example/cart/offer", "", "Disallow: /cart/", 2, 7, "blocked for all audited agents, by line 2, Disallow: /cart/"),
		finding(audit.CodeBlocked, "https://shop.example/"+strings.Repeat("long/", 30)+"page", "GPTBot", "Disallow: /", 5, 8, "blocked for GPTBot by line 5, Disallow: /"),
		finding(audit.CodeNonCanonical, hostile, "", "", 0, 9, "the URL cannot be requested: "+hostile),
	}
	at := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	return &audit.Report{
		Schema: "decorum.report/1", StartedAt: at, FinishedAt: at.Add(time.Second), Sites: []string{"https://shop.example/"}, Own: []string{},
		URLs: 40, Blocked: 2, ForAll: 1, NewBlocks: 2, Known: 3,
		Agents: []audit.AgentCount{{Agent: "decorum", Group: "*", Allowed: 39, Blocked: 1}, {Agent: "GPTBot", Group: "gptbot", Allowed: 38, Blocked: 2}},
		Training: audit.TrainingCount{InFavor: 38, Against: 2, Rules: []audit.RuleCount{
			{RobotsURL: "https://shop.example/robots.txt", Line: 9, Rule: "Disallow: /art/" + hostile, Agents: []string{"__usage_ai-training"}, URLs: 2, Examples: []audit.Example{{URL: "https://shop.example/art/1", Sitemap: findings[0].Sitemap, Line: 7}}},
		}},
		Robots:   []audit.RobotsFile{{URL: "https://shop.example/robots.txt", Origin: "https://shop.example", Status: 200, Class: "available", Digest: "00", FetchedAt: at}},
		Sitemaps: []audit.SitemapFile{{URL: "https://shop.example/sitemap.xml", Kind: "urlset", Entries: 40, Blocked: 2, Problems: 1}},
		Rules: []audit.RuleCount{
			{RobotsURL: "https://shop.example/robots.txt", Line: 2, Rule: "Disallow: /cart/", Agents: []string{"decorum", "GPTBot"}, URLs: 1, Examples: []audit.Example{{URL: findings[0].URL, Sitemap: findings[0].Sitemap, Line: 7}}},
			{RobotsURL: "https://shop.example/robots.txt", Line: 5, Rule: "Disallow: /", Agents: []string{"GPTBot"}, URLs: 1, Examples: []audit.Example{{URL: findings[1].URL, Sitemap: findings[1].Sitemap, Line: 8}}},
		},
		Findings: map[audit.Code]int{audit.CodeBlocked: 1, audit.CodeBlockedForAll: 1, audit.CodeNonCanonical: 1},
		Examples: []audit.CodeExamples{{Code: audit.CodeNonCanonical, Findings: findings[2:]}},
	}, findings
}

func written(t *testing.T, name string, report *audit.Report, findings []audit.Finding) []byte {
	t.Helper()
	var out bytes.Buffer
	w, err := New(name, &out, "1.0")
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range findings {
		if err := w.Finding(f); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.End(report); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func TestGolden(t *testing.T) {
	report, findings := sample()
	for _, name := range Names() {
		if name == "html" {
			continue // has tests of its own
		}
		t.Run(name, func(t *testing.T) {
			got := written(t, name, report, findings)
			file := filepath.Join("testdata", "audit."+name)
			if *update {
				if err := os.WriteFile(file, got, 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), string(got)); diff != "" {
				t.Error(diff)
			}
		})
	}
}

func TestNothingFound(t *testing.T) {
	report := &audit.Report{Schema: "decorum.report/1", Sites: []string{"https://shop.example/"}, URLs: 2, Agents: []audit.AgentCount{{Agent: "*", Allowed: 2}}, Sitemaps: []audit.SitemapFile{{URL: "https://shop.example/sitemap.xml"}}}
	for _, name := range Names() {
		if got := written(t, name, report, nil); len(got) == 0 {
			t.Errorf("%s: got nothing", name)
		}
	}
	if got := string(written(t, "table", report, nil)); !strings.HasPrefix(got, "robots.txt blocks none of the 2 URLs") {
		t.Errorf("got %q", got)
	}
	var object audit.Report
	if err := json.Unmarshal(written(t, "json", report, nil), &object); err != nil || object.URLs != 2 {
		t.Errorf("got %+v, %v", object, err)
	}
}

func TestTableFitsEightyColumns(t *testing.T) {
	report, findings := sample()
	for line := range strings.SplitSeq(string(written(t, "table", report, findings)), "\n") {
		if utf8.RuneCountInString(line) > width && !strings.HasPrefix(line, "  decorum ") {
			t.Errorf("got %d columns: %s", utf8.RuneCountInString(line), line)
		}
	}
}

// TestNoFormatWritesUnseenCharacters has every kind of them in each text of a
// finding and of the report.
func TestNoFormatWritesUnseenCharacters(t *testing.T) {
	const unseen = "\u009b2J\x7f\u202e\u2066\u061c\ufeff\U000e0041\u2028x"
	report, findings := sample()
	for i := range findings {
		f := &findings[i]
		f.URL, f.Agent, f.Rule, f.RobotsURL, f.Sitemap, f.Message = f.URL+unseen, unseen, unseen, unseen, unseen, unseen
	}
	report.Sites, report.Agents[0].Agent = []string{unseen}, unseen
	for i := range report.Rules {
		report.Rules[i].Rule, report.Rules[i].RobotsURL = unseen, unseen
	}
	for _, name := range Names() {
		for _, r := range string(written(t, name, report, findings)) {
			if r != '\n' && r != '\t' && escape.Unseen(r) {
				t.Errorf("%s: got %U", name, r)
			}
		}
	}
}

func TestJSONIsOneObject(t *testing.T) {
	report, findings := sample()
	var object struct {
		audit.Report

		Findings []audit.Finding `json:"findings"`
	}
	if err := json.Unmarshal(written(t, "json", report, findings), &object); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(findings, object.Findings); diff != "" || object.Schema != "decorum.report/1" || object.Report.Findings[audit.CodeBlocked] != 1 {
		t.Errorf("got %+v, %s", object.Report, diff)
	}
}

func TestCSVHasNoFormulas(t *testing.T) {
	report, findings := sample()
	rows, err := csv.NewReader(bytes.NewReader(written(t, "csv", report, findings))).ReadAll()
	if err != nil || len(rows) != 1+len(findings) {
		t.Fatalf("got %d rows, %v", len(rows), err)
	}
	if got := rows[3][2]; got != "'"+escape.Text(hostile) {
		t.Errorf("got %q, want it quoted", got)
	}
	for _, cell := range []string{"=1", "+1", "-1", "@x", "\tx", "\rx"} {
		if got := harmless(cell); got != "'"+cell {
			t.Errorf("got %q for %q", got, cell)
		}
	}
}

// TestCSVReadByPython reads the rows with another program.
func TestCSVReadByPython(t *testing.T) {
	python := tool(t, "python3", "python3")
	report, findings := sample()
	command := exec.CommandContext(t.Context(), python, "-c",
		"import csv,sys,json; print(json.dumps([r['url'] for r in csv.DictReader(sys.stdin)]))")
	command.Stdin = bytes.NewReader(written(t, "csv", report, findings))
	out, err := command.Output()
	if err != nil {
		t.Fatal(err)
	}
	var urls []string
	if err := json.Unmarshal(out, &urls); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{findings[0].URL, findings[1].URL, "'" + escape.Text(findings[2].URL)}, urls); diff != "" {
		t.Error(diff)
	}
}

func TestJUnitFollowsTheSchema(t *testing.T) {
	xmllint := tool(t, "xmllint", "libxml2-utils")
	report, findings := sample()
	for name, given := range map[string][]audit.Finding{"some": findings, "none": nil} {
		t.Run(name, func(t *testing.T) {
			command := exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet", "--schema", "testdata/junit.xsd", "-")
			command.Stdin = bytes.NewReader(written(t, "junit", report, given))
			if out, err := command.CombinedOutput(); err != nil {
				t.Errorf("%v: %s", err, out)
			}
		})
	}
}

func TestSARIFFollowsTheSchema(t *testing.T) {
	report, findings := sample()
	if faults := sariftest.Validate(t, written(t, "sarif", report, findings)); len(faults) > 0 {
		t.Error(faults)
	}
}

func TestMoreThanIsKept(t *testing.T) {
	report, findings := sample()
	var k kept
	give := func(f audit.Finding, n int) {
		for range n {
			if err := k.Finding(f); err != nil {
				t.Fatal(err)
			}
		}
	}
	give(findings[2], maxNotes+3)
	give(audit.Finding{Code: audit.CodeBlocked, Severity: audit.SeverityError, Agent: "GPTBot"}, maxErrors+5)
	if len(k.findings) != maxErrors+maxNotes || k.more != 8 || k.moreErrors != 5 {
		t.Errorf("got %d kept, %d more, %d errors", len(k.findings), k.more, k.moreErrors)
	}
	var out bytes.Buffer
	if err := (&junit{kept: k, w: &out}).End(report); err != nil || !strings.Contains(out.String(), "8 more findings are left out, including 5 errors") {
		t.Errorf("got %v", err)
	}
	suite := `<testsuite name="robots.txt for decorum" tests="1" failures="1"` // not a pass: its errors are among those left out
	if !strings.Contains(out.String(), suite) {
		t.Errorf("got %.400s, want %s", out.String(), suite)
	}
}

// tool returns a program, or skips the test where its Debian package is missing; CI
// installs it.
func tool(t *testing.T, name, from string) string {
	t.Helper()
	path, err := exec.LookPath(name)
	if err != nil {
		if os.Getenv("DECORUM_CI") != "" {
			t.Fatalf("%s is missing: install %s", name, from)
		}
		t.Skipf("%s is missing: install %s", name, from)
	}
	return path
}
