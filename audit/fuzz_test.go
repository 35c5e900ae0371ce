package audit

import (
	"context"
	"net/http"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/robots"
)

// FuzzRun audits files of any content and compares the counts with those of one
// URL and one agent at a time.
func FuzzRun(f *testing.F) {
	f.Add([]byte("User-agent: *\nDisallow: /a\nUser-agent: b\nDisallow: /*c\n"), []byte(urlset(shop+"/a", shop+"/b", shop+"/bc?d", "http://shop.example/a", "https://other.example/")))
	f.Add([]byte("User-agent: __usage_ai-training\nDisallow: /%41\nSitemap: /x\n"), []byte(shop+"/A\n"+shop+"/%41\n"+shop+"\n"+shop+"?q\n"))
	f.Fuzz(func(t *testing.T, rules, content []byte) {
		w := web{sitemap1: string(content)}
		file := robots.Parse(rules)
		agents := []string{"*", "b", "c"}
		want := make([]AgentCount, len(agents))
		for i, agent := range agents {
			want[i] = AgentCount{Agent: agent, Group: file.Group(agent).Token()}
		}
		training, findings, errors := TrainingCount{}, 0, 0
		report, err := Run(t.Context(), []string{shop}, Options{
			Agents: agents, Open: w.open, Sitemaps: []string{sitemap1},
			Robots: func(_ context.Context, origin string) (*robots.Document, error) {
				document := &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: http.StatusNotFound}
				if hostOf(origin) == "shop.example" {
					document.Status, document.Body = http.StatusOK, rules
				}
				return document, nil
			},
			OnURL: func(l Listed) error {
				target, err := robots.Target(l.URL)
				if err != nil {
					return err
				}
				for i, agent := range agents {
					if file.Check(agent, target).Allowed {
						want[i].Allowed++
					} else {
						want[i].Blocked++
					}
				}
				training.add(file.Training(target).Preference)
				return nil
			},
			OnFinding: func(f Finding) error {
				findings++
				if f.Severity == SeverityError {
					errors++
				}
				return nil
			},
		})
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(want, report.Agents); diff != "" {
			t.Errorf("agents: %s", diff)
		}
		training.Rules = report.Training.Rules
		if diff := cmp.Diff(training, report.Training); diff != "" {
			t.Errorf("training: %s", diff)
		}
		for _, n := range report.Findings {
			findings -= n
		}
		if findings != 0 || errors != report.NewErrors {
			t.Errorf("got %d findings more than counted, %d errors of %d", findings, report.NewErrors, errors)
		}
	})
}
