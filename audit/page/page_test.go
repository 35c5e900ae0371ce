package page

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
)

// hostile is a text as an enemy would write it.
const hostile = `</script></style></title><script>alert(1)</script><img src=x onerror=alert(1)>"' onclick="x" {{.}} ${x}` + "\x00\x1b[2J\u202e\u2066\u200b\U000e0041\xff"

func sample() Page {
	r := &audit.Report{
		FinishedAt: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC), Sites: []string{"https://shop.example/"}, URLs: 4000, Blocked: 3, ForAll: 1, NewErrors: 3,
		Agents:   []audit.AgentCount{{Agent: "decorum", Group: "*", Allowed: 3999, Blocked: 1}, {Agent: "GPTBot", Group: "gptbot", Allowed: 3997, Blocked: 3}},
		Training: audit.TrainingCount{InFavor: 1000, Against: 2, None: 2998, Rules: []audit.RuleCount{{RobotsURL: "https://shop.example/robots.txt", Line: 9, Rule: "Disallow: /art/", URLs: 2}}},
		Robots:   []audit.RobotsFile{{URL: "https://shop.example/robots.txt", Origin: "https://shop.example", Status: 200, Class: "available", Digest: "00"}},
		Sitemaps: []audit.SitemapFile{{URL: "https://shop.example/a.xml", Kind: "urlset", Entries: 900, Blocked: 1}, {URL: "https://shop.example/b.xml", Kind: "urlset", Entries: 3100, Blocked: 2}, {URL: "https://shop.example/c.xml", Error: "status 404"}},
		Rules: []audit.RuleCount{
			{RobotsURL: "https://shop.example/robots.txt", Line: 5, Rule: "Disallow: /", Agents: []string{"GPTBot"}, URLs: 2, Examples: []audit.Example{{URL: "https://shop.example/b", Sitemap: "https://shop.example/b.xml", Line: 8}}},
			{RobotsURL: "https://shop.example/robots.txt", Line: 2, Rule: "Disallow: /cart/", Agents: []string{"decorum", "GPTBot"}, URLs: 1, Examples: []audit.Example{{URL: "https://shop.example/cart/a", Sitemap: "https://shop.example/a.xml", Line: 7}}},
		},
	}
	finding := func(code audit.Code, url, agent, rule string, line int) audit.Finding {
		return audit.Finding{Code: code, Severity: audit.SeverityOf(code), URL: url, Agent: agent, Rule: rule, Line: line, Sitemap: "https://shop.example/a.xml", SitemapLine: 7, Message: "message of " + string(code)}
	}
	return Page{Version: "1.0", Verdict: "robots.txt blocks 3.", Report: r, Findings: []audit.Finding{
		finding(audit.CodeBlocked, "https://shop.example/p10", "GPTBot", "Disallow: /", 5),
		finding(audit.CodeTrainingSplit, "", "", "", 0),
		finding(audit.CodeBlockedForAll, "https://shop.example/cart/a", "", "Disallow: /cart/", 2),
		finding(audit.CodeNonCanonical, "javascript:alert(1)", "", "", 0),
		finding(audit.CodeBlocked, "https://shop.example/p9", "GPTBot", "Disallow: /", 5),
	}}
}

// poison makes every string that v leads to hostile.
func poison(v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		poison(v.Elem())
	case reflect.Struct:
		for _, field := range v.Fields() {
			poison(field)
		}
	case reflect.Slice:
		for i := range v.Len() {
			poison(v.Index(i))
		}
	case reflect.String:
		if v.CanSet() {
			v.SetString(hostile + v.String())
		}
	}
}

func written(t *testing.T, p Page) []byte {
	t.Helper()
	var out bytes.Buffer
	if err := p.Write(&out); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

func parsed(t *testing.T, data []byte) *html.Node {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	return root
}

func elements(root *html.Node, name string) []*html.Node {
	var found []*html.Node
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.Data == name {
			found = append(found, n)
		}
	}
	return found
}

func attribute(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func text(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}

// shape returns the elements of a page with the names of their attributes.
func shape(root *html.Node) []string {
	var lines []string
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		line := n.Data
		for _, a := range n.Attr {
			line += " " + a.Key
		}
		lines = append(lines, line)
	}
	return lines
}

// TestHostileTextAddsNothing compares the elements and attributes of a page of
// plain text with those of the same page of hostile text.
func TestHostileTextAddsNothing(t *testing.T) {
	plain, bad := sample(), sample()
	poison(reflect.ValueOf(&bad).Elem())
	for i := range plain.Findings { // links apart: no hostile URL is one
		plain.Findings[i].URL = "x"
	}
	for _, rules := range [][]audit.RuleCount{plain.Report.Rules, plain.Report.Training.Rules} {
		for i := range rules {
			rules[i].RobotsURL = "x"
			for j := range rules[i].Examples {
				rules[i].Examples[j].URL = "x"
			}
		}
	}
	for i := range plain.Report.Sitemaps {
		s := &plain.Report.Sitemaps[i]
		s.URL, s.Parent, s.Error = fmt.Sprint("x", i), "x", "x"
	}
	plain.Report.Robots[0].URL, plain.Report.Robots[0].Error = "x", "x"
	plain.LeftOut = "x"
	for i := range plain.Findings { // codes that are hostile block nothing, so each has its message
		f := &plain.Findings[i]
		f.Code, f.Agent, f.Rule = audit.CodeOwn, "x", "x"
		bad.Findings[i].Code, bad.Findings[i].Agent = hostile, hostile
		f.Severity = "x"
	}
	data := written(t, bad)
	if diff := cmp.Diff(shape(parsed(t, written(t, plain))), shape(parsed(t, data))); diff != "" {
		t.Error(diff)
	}
	for at, r := range string(data) {
		if escape.Unseen(r) && r != '\n' {
			t.Fatalf("got %U at %d, want it escaped", r, at)
		}
	}
	if got := len(elements(parsed(t, data), "script")); got != 1 {
		t.Errorf("got %d scripts, want 1", got)
	}
}

// TestNothingIsLoaded looks for all that would make a browser ask the network.
func TestNothingIsLoaded(t *testing.T) {
	root := parsed(t, written(t, sample()))
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Link, atom.Img, atom.Iframe, atom.Object, atom.Embed, atom.Base, atom.Form, atom.Image, atom.Video, atom.Audio:
			t.Errorf("got element %s", n.Data)
		}
		for _, a := range n.Attr {
			if a.Key == "src" || a.Key == "style" || strings.HasPrefix(a.Key, "on") || a.Key == "href" && n.DataAtom != atom.A {
				t.Errorf("got attribute %s of %s", a.Key, n.Data)
			}
		}
	}
	if strings.Contains(style, "url(") || strings.Contains(style, "@import") {
		t.Error("the style loads something")
	}
}

func TestPolicyHoldsStyleAndScript(t *testing.T) {
	root := parsed(t, written(t, sample()))
	policy := ""
	for _, meta := range elements(root, "meta") {
		if attribute(meta, "http-equiv") == "Content-Security-Policy" {
			policy = attribute(meta, "content")
		}
	}
	want := fmt.Sprintf("default-src 'none'; style-src '%s'; script-src '%s'; base-uri 'none'; form-action 'none'",
		hash(text(elements(root, "style")[0])), hash(text(elements(root, "script")[0])))
	if policy != want {
		t.Errorf("got %s, want %s", policy, want)
	}
}

func TestLinks(t *testing.T) {
	for _, a := range elements(parsed(t, written(t, sample())), "a") {
		href, rel := attribute(a, "href"), attribute(a, "rel")
		inside := strings.HasPrefix(href, "#")
		if !inside && (!strings.HasPrefix(href, "https://shop.example/") || rel != "noopener noreferrer nofollow") {
			t.Errorf("got %q with rel %q", href, rel)
		}
	}
	for in, want := range map[string]bool{
		"https://a.example/x?y=1&z": true, "http://a.example": true, "javascript:alert(1)": false, "JAVASCRIPT://a.example/%0aalert(1)": false,
		"data:text/html,x": false, "//a.example/": false, "robots.txt": false, "": false, "https:///x": false, "ftp://a.example/": false,
		"https://bank.example@evil.example/": false, "https://a.example/\u202egpj": false, "http://\u0430pple.example/": false, "http://%D0%B0pple.example/": false, "http://xn--pple-43d.example/\u0430": true, " https://a.example/": false,
	} {
		if got := isWeb(in); got != want {
			t.Errorf("got %v for %q, want %v", got, in, want)
		}
	}
}

func TestStructure(t *testing.T) {
	root := parsed(t, written(t, sample()))
	if got := text(elements(root, "h1")[0]); got != "robots.txt blocks 3." {
		t.Errorf("got title %q", got)
	}
	ids := map[string]bool{}
	for n := range root.Descendants() {
		if id := attribute(n, "id"); id != "" {
			if ids[id] {
				t.Errorf("got id %s twice", id)
			}
			ids[id] = true
		}
	}
	for n := range root.Descendants() {
		for _, a := range n.Attr {
			if a.Key == "aria-labelledby" && !ids[a.Val] || a.Key == "href" && a.Val[0] == '#' && !ids[a.Val[1:]] {
				t.Errorf("got %s=%q, which is no id", a.Key, a.Val)
			}
		}
	}
	for _, name := range []string{"input", "select"} {
		for _, n := range elements(root, name) {
			if n.Parent.Data != "label" {
				t.Errorf("got %s without a label", name)
			}
		}
	}
	for _, head := range elements(root, "th") {
		if attribute(head, "scope") != "col" {
			t.Errorf("got head %q without a scope", text(head))
		}
	}
	charts := 0
	for _, figure := range elements(root, "figure") {
		charts++
		if len(elements(figure, "text")) < 2 {
			t.Error("got a chart without labels")
		}
	}
	if charts != 3 {
		t.Errorf("got %d charts, want 3", charts)
	}
}

func TestShown(t *testing.T) {
	for in, want := range map[string]string{"a b": "a b", "a\nb\x1b": `a\u000ab\u001b`, "\u202ex": `\u202ex`, "\U000e0041": `\U000e0041`, "\xff": "\ufffd", "ä€": "ä€"} {
		if got := shown(in); got != want {
			t.Errorf("got %q for %q, want %q", got, in, want)
		}
	}
}

func TestPercent(t *testing.T) {
	for _, c := range []struct {
		n, all int
		want   string
	}{{0, 0, "0 %"}, {0, 9, "0 %"}, {1, 5000, "< 0.1 %"}, {1, 8, "12.5 %"}, {9, 9, "100.0 %"}} {
		if got := percent(c.n, c.all); got != c.want {
			t.Errorf("got %s for %d of %d, want %s", got, c.n, c.all, c.want)
		}
	}
}

func TestTooManyRowsAreTold(t *testing.T) {
	p := sample()
	p.Report.Sitemaps = make([]audit.SitemapFile, MaxRows+7)
	if got := string(written(t, p)); !strings.Contains(got, "7 more are left out; the json format has all.") {
		t.Error("got no word of the 7 left out")
	}
}

// browser returns what Chromium renders of the page at a fragment of its URL.
func browser(t *testing.T, page []byte, fragment string) *html.Node {
	t.Helper()
	chromium, err := exec.LookPath("chromium")
	if err != nil {
		if os.Getenv("DECORUM_CI") != "" {
			t.Fatal("chromium is missing: install chromium")
		}
		t.Skip("chromium is missing: install chromium")
	}
	folder := t.TempDir()
	file := filepath.Join(folder, "audit.html")
	if err := os.WriteFile(file, page, 0o600); err != nil {
		t.Fatal(err)
	}
	command := exec.CommandContext(t.Context(), chromium, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage",
		"--user-data-dir="+filepath.Join(folder, "profile"), "--enable-logging=stderr", "--dump-dom", "file://"+file+fragment)
	var errs bytes.Buffer
	command.Stderr = &errs
	out, err := command.Output()
	if err != nil {
		t.Fatalf("%v: %s", err, errs.Bytes())
	}
	for line := range strings.Lines(errs.String()) {
		if strings.Contains(line, "CONSOLE") { // an error of the script, or something refused by the policy
			t.Error(line)
		}
	}
	return parsed(t, out)
}

// column returns the cells of a section's table that are not hidden, and the
// direction that each head tells.
func column(t *testing.T, root *html.Node, section string, at int) (cells []string, directions string) {
	t.Helper()
	for _, s := range elements(root, "section") {
		if attribute(s, "id") != section {
			continue
		}
		for _, head := range elements(s, "th") {
			directions += attribute(head, "aria-sort") + ";"
		}
		for _, row := range elements(elements(s, "tbody")[0], "tr") {
			hidden := false
			for _, a := range row.Attr {
				hidden = hidden || a.Key == "hidden"
			}
			if !hidden {
				cells = append(cells, text(elements(row, "td")[at]))
			}
		}
	}
	return cells, directions
}

// rows are what a table shows.
type rows struct {
	section    string
	column     int
	cells      []string
	directions string
}

func checkRows(t *testing.T, root *html.Node, wants ...rows) {
	t.Helper()
	for _, want := range wants {
		cells, directions := column(t, root, want.section, want.column)
		if diff := cmp.Diff(want.cells, cells); diff != "" || directions != want.directions {
			t.Errorf("%s: got directions %s, want %s; rows %s", want.section, directions, want.directions, diff)
		}
	}
}

// A Chromium takes seconds to start, so each run shows several tables.
func TestTablesInChromium(t *testing.T) {
	t.Run("numbers up, severities, one kind", func(t *testing.T) {
		root := browser(t, written(t, sample()), "#sitemaps.sort=2&findings.sort=2&findings.code=blocked&rules.sort=99&rules.x=y&z")
		checkRows(t, root,
			rows{"sitemaps", 2, []string{"0", "900", "3,100"}, ";;ascending;;;"},
			rows{"findings", 2, []string{"https://shop.example/p9", "https://shop.example/p10"}, ";;ascending;;;;"},
			rows{"rules", 0, []string{"Disallow: /", "Disallow: /cart/"}, ";;;;;"})
	})
	t.Run("numbers down, the worst first, text without case", func(t *testing.T) {
		root := browser(t, written(t, sample()), "#sitemaps.sort=2:descending&findings.sort=0&rules.text=CART")
		checkRows(t, root,
			rows{"sitemaps", 2, []string{"3,100", "900", "0"}, ";;descending;;;"},
			rows{"findings", 1, []string{"blocked", "blocked-for-all", "blocked", "non-canonical", "training-split"}, "ascending;;;;;;"},
			rows{"rules", 0, []string{"Disallow: /cart/"}, ";;;;;"})
	})
}

// TestControlsInChromium clicks and types, and reads the tables and the address
// after that. The test script follows the page's script, and the policy
// allows both together.
func TestControlsInChromium(t *testing.T) {
	const user = `
		const click = (section, column) => document.querySelectorAll("#" + section + " th")[column].querySelector("button").click();
		const choose = (section, name, value) => {
			const control = document.querySelector("#" + section + " [name=" + name + "]");
			control.value = value;
			control.dispatchEvent(new Event("input", { bubbles: true }));
		};
		click("sitemaps", 2); click("sitemaps", 2);
		click("agents", 3); click("agents", 3); click("agents", 3);
		choose("findings", "agent", "all audited");
		choose("rules", "text", "gptbot"); click("rules", 3);
		document.querySelector("footer").textContent = location.hash;`
	attr := strings.NewReplacer("+", "&#43;")
	page := string(written(t, sample()))
	page = strings.Replace(page, script+"</script>", script+user+"</script>", 1)
	page = strings.Replace(page, attr.Replace(hash(script)), attr.Replace(hash(script+user)), 1)
	root := browser(t, []byte(page), "")
	checkRows(t, root,
		rows{"sitemaps", 2, []string{"3,100", "900", "0"}, ";;descending;;;"},
		rows{"agents", 0, []string{"decorum", "GPTBot"}, ";;;;;"},
		rows{"findings", 1, []string{"blocked-for-all"}, ";;;;;;"},
		rows{"rules", 3, []string{"1", "2"}, ";;;ascending;;"})
	if got, want := text(elements(root, "footer")[0]), "#sitemaps.sort=2%3Adescending&findings.agent=all+audited&rules.text=gptbot&rules.sort=3"; got != want {
		t.Errorf("got address %s, want %s", got, want)
	}
}

// TestHostileTextInChromium has the browser parse and run the page.
func TestHostileTextInChromium(t *testing.T) {
	bad := sample()
	poison(reflect.ValueOf(&bad).Elem())
	root := browser(t, written(t, bad), "")
	if scripts, images := elements(root, "script"), elements(root, "img"); len(scripts) != 1 || len(images) != 0 {
		t.Errorf("got %d scripts, %d images", len(scripts), len(images))
	}
}
