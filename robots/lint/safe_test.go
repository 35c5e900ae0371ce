package lint

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

// apply returns the file with the edits of findings, which are about different
// lines.
func apply(data []byte, findings ...Finding) []byte {
	edits := map[int]Finding{}
	for _, f := range findings {
		if f.Edit != EditNone {
			edits[f.Line] = f
		}
	}
	var out bytes.Buffer
	for line := range robots.Lines(data) {
		switch f := edits[line.Number]; f.Edit {
		case EditDelete:
		case EditReplace:
			out.WriteString(f.Fix + "\n")
		case EditNone:
			out.WriteString(line.Text + "\n")
		}
	}
	return out.Bytes()
}

// pathsOf makes paths that the rules of a file are likely to match, as written
// and as they are meant.
func pathsOf(data []byte) []string {
	paths := []string{"/", "/index.html", "/robots.txt"}
	seen := map[string]bool{}
	for line := range robots.Lines(data) {
		for _, value := range append(strings.Fields(line.Text), line.Value) {
			if value == "" || seen[value] || len(value) > 200 {
				continue
			}
			seen[value] = true
			forms := []string{value, robots.Rule{Value: value}.Pattern(), visible(value)}
			if target, err := robots.Target(value); err == nil {
				forms = append(forms, target)
			}
			for _, form := range forms {
				body := strings.TrimSuffix(form, "$")
				for _, star := range []string{"", "a", "/b/", "%5B", "["} {
					paths = append(paths, "/"+strings.TrimPrefix(strings.ReplaceAll(body, "*", star), "/"))
				}
			}
			paths = append(paths, "/x/y"+value, "/"+value+"0")
			paths = append(paths, "/"+strings.TrimPrefix(strings.NewReplacer("[", "%5B", "]", "%5D", ":", "%3A").Replace(value), "/"))
		}
	}
	slices.Sort(paths)
	return slices.Compact(paths)
}

// agentsOf returns the tokens of a file and of its fix, and a crawler that
// neither names.
func agentsOf(files ...*robots.File) []string {
	agents := []string{"stranger", "*"}
	for _, f := range files {
		agents = append(agents, f.Agents()...)
	}
	slices.Sort(agents)
	return slices.Compact(agents)
}

// checkFix reports verdicts that the edit of a finding changes without saying so.
func checkFix(data []byte, paths []string, finding Finding) error {
	fixed := apply(data, finding)
	paths = append(pathsOf([]byte(finding.Fix)), paths...)
	before, after := robots.Parse(data), robots.Parse(fixed)
	for _, agent := range agentsOf(before, after) {
		groups := [2]*robots.Group{before.Group(agent), after.Group(agent)}
		for _, path := range paths {
			a, b := groups[0].Check(path), groups[1].Check(path)
			announced := finding.Changes && (a.Rule.Line == finding.Line || b.Rule.Line == finding.Line)
			if a.Allowed != b.Allowed && !announced {
				return fmt.Errorf("%s for %s: %v by line %d becomes %v by line %d", path, agent, a.Allowed, a.Rule.Line, b.Allowed, b.Rule.Line)
			}
		}
	}
	for _, path := range paths {
		if x, y := before.Training(path), after.Training(path); x.Preference != y.Preference && !finding.Changes {
			return fmt.Errorf("training with %s: %s becomes %s", path, x.Preference, y.Preference)
		}
	}
	return nil
}

// oddities are what real files have, in lines that a generator combines.
var oddities = struct{ agents, rules, others []string }{
	agents: []string{
		"User-agent: *", "User-agent: *", "User-agent: friend", "User-agent: other", "User-agent: friend/2.1", "User-agent: Friend*", "User-agent: Yahoo! Slurp",
		"User-agent: Offline Explorer", "User-agent: archive.org_bot", "User-agent: Y!J-SRD/1.0", "User-agent: friend, other", "User-agent: **", "User-agent:",
		"User-agent: *<br/>Sitemap: https://h.example/s.xml", "User-agent: *\\", "User-agent: Image Sucker", "User-agent: Image Stripper", "User-agent: * Disallow: /",
		"User-agent： friend", "User-agent friend", "Useragent: other", "Usr-agent: friend", "User-agent: Mozilla/5.0 (compatible; other/1.0)", "User-agent: __usage_ai-training",
		"User-agent: other\u00a0", "User-agent:\u00a0friend", "User-agent: *bot", "\u00a0User-agent: friend", "User-agent: * # all", "USER-AGENT: FRIEND",
	},
	rules: []string{
		"Disallow: /", "Allow: /", "Disallow:", "Allow:", "Disallow: # Allow everything", "Disallow: /a", "Disallow: /a", "Allow: /a", "Allow: /a/b", "Disallow: /a*", "Allow: /*b$",
		"Disallow: /*%", "Disallow: /itm/*/%", "Allow: /*%", "Disallow: /sale-50%-off", "Allow: /sale-50%-off", "Disallow: /40%$", "Disallow: *url%2*x", "Disallow: /a%b",
		"Disallow: /go?to=https://x.example", "Disallow: /*?f[", "Allow: /*?f[", "Allow: /*?f%5B", "Disallow: /*?f%5B", "Disallow: https://staging.example/", "Disallow: https://staging.example/*",
		"Disallow: https://shop.example/a", "Disallow: https://shop.example/", "Allow: .css", "Disallow: ?sort=", "Disallow: print=1", "Disallow: a", "Disallow: none", "Disallow: www.h.example/x",
		"Disallow: /a\u200b", "Disallow:\u00a0/b", "Disallow: \u200b/", "\ufeffDisallow: /a", "Disallow: /a\u00a0b", "Dis\u00adallow: /a/b", "Disallow: / User-agent: other", "Disallow: /a /b /c",
		"Disallow: /(a|b)/\\d+\\.html", "Disallow: /[0-9]", "Disallow: {{ url }}", "Allow: /<?php echo $x ?>", "Disallow https://h.example/x", "Disallow /wiki/Special:Search", "Disallow /a",
		"Allow /a/b", "Disallow /", "Disallow： /a", "Disalow: /a", "Alow: /a/b", "Disallwo: /a", "Disallwo: /", "Disalllow: /b", "Disallow: /%7Ea", "Disallow: /caf\u00e9", "Disallow: /caf\xe9", "Allow: /a$b",
		"Disallow: /a$b$", "Disallow: /a#b", "Disallow: /a\x00b", "Disallow: *", "Allow: *", "Disallow: /**", "Allow: /a*$", "Disallow: /x y", "Disallow : /a", "disallow:/a", "Disallow: /a // no",
	},
	others: []string{
		"", "# a comment", "Crawl-delay: 5", "Crawl-delay: 5s", "Sitemap: /s.xml", "Sitemap: //h.example/news.xml", "Sitemap: www.h.example/a.xml", "Sitemap: my-map.xml",
		"Sitemap:\u00a0https://h.example/s.xml", "Noindex: /a", "ACAP-crawler: *", "LLMs-Txt: /llms.txt", "Colour: blue", "welcome", "<p>User-agent: *", "Content-Usage: Train-AI=n", "Content-Signal: search yes",
		"Host: h.example", "{\"a\": 1}", "Crawl-delay 3", "Allow all of it: yes",
	},
}

func generate(random *rand.Rand) []byte {
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	var lines []string
	for range 1 + random.IntN(4) {
		for range 1 + random.IntN(3)/2 {
			lines = append(lines, pick(oddities.agents))
		}
		for range random.IntN(5) {
			if random.IntN(6) == 0 {
				lines = append(lines, pick(oddities.others))
			} else {
				lines = append(lines, pick(oddities.rules))
			}
		}
	}
	end := []string{"\n", "\r\n", "\r", "\n\n"}[random.IntN(4)]
	return []byte(strings.Join(lines, end))
}

// TestFixesChangeNoVerdictUnannounced obeys each fix, and then all that change
// nothing, in files of every oddity that real ones have.
func TestFixesChangeNoVerdictUnannounced(t *testing.T) {
	random := rand.New(rand.NewPCG(11, 8))
	fixes := map[Code]int{}
	for range 1_000 {
		data := generate(random)
		paths := pathsOf(data)
		document := &robots.Document{Origin: "https://shop.example", FinalURL: "https://shop.example/robots.txt", Status: 200, Body: data}
		var quiet []Finding
		for _, f := range Document(document) {
			if f.Edit == EditNone {
				continue
			}
			fixes[f.Code]++
			if err := checkFix(data, paths, f); err != nil {
				t.Fatalf("%+v: %v in\n%q\n%s", f, err, data, data)
			}
			if !f.Changes {
				quiet = append(quiet, f)
			}
		}
		before, after := robots.Parse(data), robots.Parse(apply(data, quiet...))
		for _, agent := range agentsOf(before, after) {
			for _, path := range paths {
				if a, b := before.Check(agent, path), after.Check(agent, path); a.Allowed != b.Allowed {
					t.Fatalf("all of %+v: %s for %s becomes %v in\n%s", quiet, path, agent, b.Allowed, data)
				}
			}
		}
	}
	for _, code := range []Code{
		CodeDuplicateRule, CodeIdleAllow, CodeNoSlash, CodeAgent, CodeMissingColon, CodeFullWidthColon, CodeInvisible, CodeMisspeltField,
		CodeDollarInside, CodePercent, CodeEscape, CodeDuplicateAgent, CodeSitemapURL,
	} {
		if fixes[code] == 0 {
			t.Errorf("got no fix of a %s finding to try", code)
		}
	}
	t.Logf("fixes tried: %v", fixes)
}

// FuzzFixes is the same for files of any bytes.
func FuzzFixes(f *testing.F) {
	random := rand.New(rand.NewPCG(1, 2))
	for range 60 {
		f.Add(generate(random)) // the short ones count
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if len(data) > 160 {
			t.Skip("longer ones take long and say no more")
		}
		paths := pathsOf(data)
		for _, finding := range Text(data) {
			if finding.Edit == EditNone {
				continue
			}
			if err := checkFix(data, paths, finding); err != nil {
				t.Fatalf("%+v: %v in %q", finding, err, data)
			}
		}
	})
}
