package signal

import (
	"bufio"
	"encoding/json"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

// vector is a line of signals.jsonl.
type vector struct {
	ID           string              `json:"id"`
	Why          string              `json:"why"`
	Agent        string              `json:"our_agent"`
	URL          string              `json:"url"`
	RobotsStatus int                 `json:"robots_status"`
	Robots       string              `json:"robots"`
	Headers      map[string][]string `json:"headers"`
	HTML         string              `json:"html"`
	TDMRep       json.RawMessage     `json:"tdmrep_json"`
	AITxt        *string             `json:"ai_txt"`
	RSL          *string             `json:"rsl_xml"`
	Expect       map[Name]robots.Preference
	Basis        map[Name]string
	Decision     string `json:"decision_declared"`
}

func vectors(tb testing.TB) []vector {
	tb.Helper()
	file, err := os.Open("testdata/signals.jsonl")
	if err != nil {
		tb.Fatal(err)
	}
	defer file.Close()
	var all []vector
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			tb.Fatal(err)
		}
		all = append(all, v)
	}
	return all
}

func (v vector) site() Site {
	s := Site{Robots: &robots.Document{Origin: "https://farm.example", Status: v.RobotsStatus, Body: []byte(v.Robots)}, Licenses: map[string]*File{}}
	if v.TDMRep != nil {
		s.TDMRep = &File{Status: 200, Body: v.TDMRep}
	}
	if v.AITxt != nil {
		s.AITxt = &File{Status: 200, Body: []byte(*v.AITxt)}
	}
	if v.RSL != nil {
		s.Licenses["https://farm.example/license.xml"] = &File{Status: 200, Body: []byte(*v.RSL)}
	}
	return s
}

func (v vector) page() Page {
	header := http.Header{}
	for name, lines := range v.Headers {
		for _, line := range lines {
			header.Add(name, line)
		}
	}
	return ReadPage(v.URL, header, []byte(v.HTML))
}

func TestVectors(t *testing.T) {
	all := vectors(t)
	if len(all) < 50 {
		t.Fatalf("got %d vectors", len(all))
	}
	policy := Policies()[0]
	for _, v := range all {
		t.Run(v.ID, func(t *testing.T) {
			signals := Judge(v.Agent, v.page(), v.site())
			by := map[Name]Signal{}
			for _, s := range signals {
				by[s.Signal] = s
			}
			for name, want := range v.Expect {
				if got := by[name]; got.Value != want {
					t.Errorf("%s: %s: got %+v, want %s", v.Why, name, got, want)
				}
			}
			for name, want := range v.Basis {
				// Some bases include the line, for which we have a field.
				if got := by[name]; name != "llms_txt" && got.Basis != want && !strings.HasPrefix(want, got.Basis+" line ") {
					t.Errorf("%s: %s: got basis %q, want %q", v.Why, name, got.Basis, want)
				}
			}
			v.decision(t, policy.Decide(signals))
		})
	}
}

// decision compares the decision of the policy "declared" with the vector. A page
// that is never fetched has no document, whatever the policy would decide.
func (v vector) decision(t *testing.T, got Decision) {
	t.Helper()
	want := map[string][]Train{
		"include": {TrainInFavor, TrainNone}, "exclude": {TrainExcluded}, "hold": {TrainHold},
	}
	if v.Decision == "not_crawled" {
		target, err := robots.Target(v.URL)
		if verdict := v.site().Robots.Check(v.Agent, target); err != nil || verdict.Allowed {
			t.Errorf("%s: got %+v, %v, want a page that is not fetched", v.Why, verdict, err)
		}
		return
	}
	if !slices.Contains(want[v.Decision], got.Train) {
		t.Errorf("%s: got %s by %s, want %s", v.Why, got.Train, got.Basis, v.Decision)
	}
}
