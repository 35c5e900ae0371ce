package text

import (
	"context"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"
	"testing/synctest"
	"time"
	"unicode/utf8"
)

// Each page is designed to cost too much. It must end within the deadline, and the
// heap must not grow beyond a limit.
func TestExtractHostilePage(t *testing.T) {
	if testing.Short() {
		t.Skip("is about time and memory, which the race detector multiplies")
	}
	repeat := strings.Repeat
	numbered := func(n int, format string) string {
		var b strings.Builder
		for i := range n {
			fmt.Fprintf(&b, format, i)
		}
		return b.String()
	}
	tests := []struct {
		name, body string
		want       []Reason // "": a document; several: all are right
	}{
		{"50 MB", repeat("<p>word ", 50<<20/8), []Reason{ReasonTooLarge}},
		{"tables 10,000 deep", repeat("<table><tr><td>x", 10_000), []Reason{ReasonTooDeep, ReasonTooManyNodes}},
		{"blocks 10,000 deep", repeat("<div>", 10_000) + "x", []Reason{ReasonTooDeep}},
		{"lists within the depth", repeat(repeat("<ul><li>x", 90)+repeat("</ul>", 90), 40), []Reason{""}},
		{"400,000 attributes", "<p " + numbered(400_000, "a%d ") + ">x", []Reason{ReasonTooManyNodes}},
		{"html elements to merge", numbered(20_000, "<html a%d=1>") + "x", []Reason{ReasonTooManyNodes}},
		{"formatting left open", numbered(3000, "<font x=%d>") + repeat("<p>x", 3000), []Reason{ReasonTooManyNodes}},
		{"unclosed tags", repeat("<b><i><p><li><td><option>x", 5000), []Reason{"", ReasonTooDeep, ReasonTooManyNodes}},
		{"unclosed tag", "<p>" + repeat(sentence, 9) + "<a href=\"" + repeat("x", 1<<20), []Reason{""}},
		{"unclosed comment", repeat(sentence, 9) + "<!--" + repeat("<p>x", 100_000), []Reason{""}},
		{"unclosed script", repeat(sentence, 9) + "<script>" + repeat("<p>x", 100_000), []Reason{""}},
		{"one text", repeat("word ", 200_000), []Reason{""}},
		{"one word", repeat("w", 1<<20), []Reason{""}},
		{"entities", "<p>" + repeat("&amp;&lt;&#x1F600;&notit;", 100_000), []Reason{"", ReasonEmpty}},
		{"billion laughs", `<!DOCTYPE x [<!ENTITY a "ha"><!ENTITY b "&a;&a;">]><p>` + repeat("&b; ", 1000), []Reason{""}},
		{"NULs", "<p>" + repeat("\x00", 1<<20), []Reason{ReasonNotText}},
		{"NULs behind text", "<p>" + repeat(sentence, 500) + repeat("\x00", 1<<20), []Reason{""}},
		{"bytes of no charset", "<p>" + repeat("\xff\xfe\xfd ", 100_000), []Reason{ReasonCharset}},
		{"UTF-16 said by its mark", "\xff\xfe" + repeat("a b", 100_001), []Reason{"", ReasonCharset, ReasonNotText, ReasonEmpty}},
		{"title of spaces", "<title>" + repeat(" ", 3<<20) + "</title><p>x", []Reason{""}},
		{"author of commas", `<meta name=author content="` + repeat("a, ", 1<<20) + `"><p>x`, []Reason{""}},
		{"JSON-LD of names", `<script type="application/ld+json">{"@type":"Article","author":"` + repeat("a b, ", 500_000) + `"}</script><p>x`, []Reason{""}},
		{"JSON-LD 9,000 deep", `<script type="application/ld+json">` + repeat(`{"a":`, 9000) + "1" + repeat("}", 9000) + `</script><p>x`, []Reason{""}},
		{"JSON-LD that holds a page", `<script type="application/ld+json">{"articleBody":"` + numbered(4000, "<font x=%d>") + repeat("<p>x", 4000) + `"}</script><p>x`, []Reason{""}},
	}
	p := closing(t, Options{Workers: 1})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			page := Page{URL: "https://example.org/", ContentType: "text/html", Body: []byte(test.body)}
			if !strings.HasPrefix(test.body, "\xff") {
				page.ContentType = "text/html; charset=utf-8"
			}
			var r Result
			var err error
			grown := heapWhile(func() { r, err = p.Extract(t.Context(), page) })
			checkResult(t, r, err)
			if got := reasonOf(err); got != ReasonDeadline && !slices.Contains(test.want, got) { // a slow machine may need longer
				t.Errorf("got %v, want one of %q", err, test.want)
			}
			if most := int64(400 << 20); grown > most {
				t.Errorf("the heap grew by %d MiB, want at most %d", grown>>20, most>>20)
			}
		})
	}
}

// heapWhile returns how much the heap grew, measured every few milliseconds.
func heapWhile(work func()) int64 {
	var stats runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&stats)
	before, peak := int64(stats.HeapAlloc), int64(0)
	done := make(chan struct{})
	go func() {
		defer close(done)
		work()
	}()
	for {
		select {
		case <-done:
			return peak
		case <-time.After(5 * time.Millisecond):
			runtime.ReadMemStats(&stats)
			peak = max(peak, int64(stats.HeapAlloc)-before)
		}
	}
}

// checkResult checks what holds for every page.
func checkResult(t *testing.T, r Result, err error) {
	t.Helper()
	if fault, ok := errors.AsType[*Error](err); err != nil && (!ok || fault.Reason == "") {
		t.Errorf("got %v, want a reason", err)
	}
	if (err == nil) != (r.Text != "") {
		t.Errorf("got error %v with %d bytes of text", err, len(r.Text))
	}
	for _, s := range []string{r.Text, r.Title, r.Author, r.Date, r.Sitename, r.Language, r.Declared} {
		if !utf8.ValidString(s) || strings.ContainsAny(s, "\x00\x1b\r") {
			t.Errorf("got %.80q, want valid UTF-8 without controls", s)
		}
	}
	if len(r.Title) > maxField || len(r.Author) > maxField || len(r.Sitename) > maxField {
		t.Errorf("got fields of %d, %d and %d bytes, want at most %d", len(r.Title), len(r.Author), len(r.Sitename), maxField)
	}
	if r.Score < 0 || r.Score > 1 {
		t.Errorf("got score %v", r.Score)
	}
}

// The parser stops at the deadline by itself: nothing is left running.
func TestParserEndsAtDeadline(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Options{Workers: 1, Deadline: time.Nanosecond})
		body := article(strings.Repeat("<p>"+sentence, 2000))
		p.read = func(ctx context.Context, page Page) (Result, error) {
			<-ctx.Done()
			return reader{p.options}.read(ctx, page)
		}
		if _, err := p.Extract(t.Context(), Page{ContentType: "text/html", Body: body}); reasonOf(err) != ReasonDeadline {
			t.Errorf("got %v, want reason deadline", err)
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

func FuzzExtract(f *testing.F) {
	for _, known := range knownPages(f) {
		f.Add("text/html", known.page.Body)
	}
	f.Add("text/plain; charset=utf-16le", []byte("a\x00\xff\xdf"))
	f.Add("", []byte("<p><table><b><p></table></b>"))
	p := NewPool(Options{Workers: 4, MaxBytes: 64 << 10, MaxNodes: 5000})
	f.Cleanup(func() { p.Close() })
	f.Fuzz(func(t *testing.T, contentType string, body []byte) {
		r, err := p.Extract(t.Context(), Page{URL: "https://example.org/", ContentType: contentType, Body: body})
		if reason := reasonOf(err); reason == ReasonPanic {
			t.Fatal(err)
		}
		checkResult(t, r, err)
	})
}

// The counted nodes are never far below those of the tree.
func FuzzEstimateNodes(f *testing.F) {
	for _, known := range knownPages(f) {
		f.Add(known.page.Body)
	}
	f.Add([]byte("<b><i><p>x<p>y</i>z</b><a><div><a>"))
	f.Fuzz(func(t *testing.T, page []byte) {
		const limit = 20_000
		weight, err := estimateNodes(t.Context(), page, limit)
		if err != nil || weight > limit {
			return
		}
		doc, err := parse(t.Context(), page)
		if err != nil {
			return
		}
		if nodes, _ := measure(doc); nodes > 12*weight+8 {
			t.Errorf("got weight %d for %d nodes", weight, nodes)
		}
	})
}
