package robots

import (
	"bufio"
	"encoding/json"
	"os"
	"slices"
	"testing"
	"time"
)

type vector struct {
	ID         string
	About      string
	Robots     *string
	RobotsB64  []byte `json:"robots_b64"`
	Agent      string
	URL        string
	Allow      bool
	RuleLine   *int            `json:"rule_line"`
	CrawlDelay json.RawMessage `json:"crawl_delay"`
	Sitemaps   []string
}

func TestVectors(t *testing.T) {
	data, err := os.Open("testdata/robots.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	defer data.Close()
	lines := bufio.NewScanner(data)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		var v vector
		if err := json.Unmarshal(lines.Bytes(), &v); err != nil {
			t.Fatal(err)
		}
		t.Run(v.ID, func(t *testing.T) { checkVector(t, v) })
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
}

func checkVector(t *testing.T, v vector) {
	t.Helper()
	body := v.RobotsB64
	if v.Robots != nil {
		body = []byte(*v.Robots)
	}
	f := Parse(body)
	target, err := Target(v.URL)
	if err != nil {
		t.Fatal(err)
	}
	got := f.Check(v.Agent, target)
	line := 0
	if v.RuleLine != nil {
		line = *v.RuleLine
	}
	if got.Allowed != v.Allow || got.Rule.Line != line {
		t.Errorf("got allowed %v by line %d, want %v by line %d: %s\nrobots %.300q\nagent %q URL %.100q",
			got.Allowed, got.Rule.Line, v.Allow, line, v.About, body, v.Agent, v.URL)
	}
	if v.CrawlDelay != nil {
		checkDelay(t, f.Group(v.Agent), v.CrawlDelay)
	}
	if v.Sitemaps != nil && !slices.Equal(f.Sitemaps(), v.Sitemaps) {
		t.Errorf("got sitemaps %q, want %q", f.Sitemaps(), v.Sitemaps)
	}
}

func checkDelay(t *testing.T, g *Group, raw json.RawMessage) {
	t.Helper()
	var want *float64
	if err := json.Unmarshal(raw, &want); err != nil {
		t.Fatal(err)
	}
	got, ok := g.CrawlDelay()
	if ok != (want != nil) || want != nil && got != time.Duration(*want*float64(time.Second)) {
		t.Errorf("got crawl delay %v %v, want %s", got, ok, raw)
	}
}
