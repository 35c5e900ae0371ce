package main

import (
	"fmt"
	"strings"
	"testing"
	"text/tabwriter"
)

// TestQuestions asks every matcher the questions. Wrong answers of other libraries
// are logged and do not fail the test.
func TestQuestions(t *testing.T) {
	var table strings.Builder
	out := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprint(out, "\n")
	for _, m := range matchers {
		fmt.Fprint(out, "\t", m.name)
	}
	for _, q := range questions {
		fmt.Fprint(out, "\n", q.about)
		for _, m := range matchers {
			wrong := q.ask(m)
			if m.name == "decorum" && wrong != "" {
				t.Errorf("%s: decorum: %s, want allowed %v, line %d", q.about, wrong, q.allowed, q.line)
			}
			if wrong == "" {
				wrong = "ok"
			}
			fmt.Fprint(out, "\t", wrong)
		}
	}
	if err := out.Flush(); err != nil {
		t.Fatal(err)
	}
	t.Log(table.String())
}

func TestEveryReaderReadsTheSame(t *testing.T) {
	body := urlset()
	for _, r := range readers {
		n := 0
		if err := r.read(body, home, func(loc string) { n += len(loc) }); err != nil || n == 0 {
			t.Fatalf("%s: got %d, %v", r.name, n, err)
		}
		if want := bytesOfLocs(); n != want {
			t.Errorf("%s: got %d bytes of addresses, want %d", r.name, n, want)
		}
	}
}

func bytesOfLocs() (n int) {
	for i := range entries {
		n += len(fmt.Sprintf("https://farm.example/category-%d/product-%d.html", i%100, i))
	}
	return n
}

func TestRobotsFileIsOfTheSizeThatAllRead(t *testing.T) {
	if n := len(robotsOf(10_000)); n > 500<<10 || n < 480<<10 {
		t.Errorf("got %d bytes, want just under 500 KiB", n)
	}
}

func TestVectorsAreReadRight(t *testing.T) {
	files, err := vectors("../sitemap/testdata")
	if err != nil || len(files) < 30 {
		t.Fatalf("got %d vectors, %v", len(files), err)
	}
	for _, v := range files {
		var wrong []string
		for _, r := range readers {
			if !v.readBy(r) {
				wrong = append(wrong, r.name)
			}
		}
		t.Logf("%-24s %s", v.File, strings.Join(wrong, ", "))
	}
}

func BenchmarkRobotsParse(b *testing.B) {
	for _, rules := range []int{50, 10_000} {
		body := robotsOf(rules)
		for _, m := range matchers {
			b.Run(fmt.Sprintf("rules=%d/by=%s", rules, m.name), func(b *testing.B) {
				b.SetBytes(int64(len(body)))
				b.ReportAllocs()
				for b.Loop() {
					if err := m.parse(body); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}

func BenchmarkRobotsMatch(b *testing.B) {
	for _, input := range matchInputs() {
		for _, m := range matchers {
			check, err := m.ready(input.body)
			if err != nil {
				b.Fatal(err)
			}
			b.Run(fmt.Sprintf("%s/by=%s", input.name[:2], m.name), func(b *testing.B) {
				b.ReportAllocs()
				for b.Loop() {
					check(input.path)
				}
			})
		}
	}
}

func BenchmarkSitemap(b *testing.B) {
	body := urlset()
	for _, r := range readers {
		b.Run("by="+r.name, func(b *testing.B) {
			b.SetBytes(int64(len(body)))
			b.ReportAllocs()
			for b.Loop() {
				if err := r.read(body, home, func(string) {}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
