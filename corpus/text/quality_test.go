package text

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/net/html"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// A knownPage is a page whose main text is known.
type knownPage struct {
	name string
	page Page
	want string
}

// knownPages reads testdata/pages, in which "⟦" and "⟧" enclose the main text.
func knownPages(tb testing.TB) []knownPage {
	tb.Helper()
	files, err := filepath.Glob("testdata/pages/*.html")
	if err != nil || len(files) == 0 {
		tb.Fatalf("no pages: %v", err)
	}
	var all []knownPage
	for _, file := range files {
		marked, err := os.ReadFile(file)
		if err != nil {
			tb.Fatal(err)
		}
		var want strings.Builder
		for i, part := range strings.Split(string(marked), "⟦") {
			inside, _, ok := strings.Cut(part, "⟧")
			if i > 0 && ok {
				want.WriteString(tagless(inside) + " ")
			}
		}
		name := strings.TrimSuffix(filepath.Base(file), ".html")
		body := strings.NewReplacer("⟦", "", "⟧", "").Replace(string(marked))
		all = append(all, knownPage{name, Page{URL: "https://example.org/" + name, ContentType: "text/html; charset=utf-8", Body: []byte(body)}, want.String()})
	}
	return all
}

// tagless returns the text of a piece of HTML.
func tagless(piece string) string {
	var text strings.Builder
	z := html.NewTokenizer(strings.NewReader(piece))
	for {
		switch z.Next() {
		case html.ErrorToken:
			return text.String()
		case html.TextToken:
			text.Write(z.Text())
		case html.StartTagToken, html.EndTagToken, html.SelfClosingTagToken:
			text.WriteByte(' ')
		}
	}
}

// compare counts the words that two texts have in common, each as often as it is in
// both. In scripts without spaces it counts characters.
func compare(got, want string) (precision, recall, f1 float64) {
	bag := map[string]int{}
	var n, m, common int
	for start, end := range wordsOf(want) {
		bag[want[start:end]]++
		m++
	}
	for start, end := range wordsOf(got) {
		word := got[start:end]
		if bag[word] > 0 {
			bag[word]--
			common++
		}
		n++
	}
	if common == 0 {
		return 0, 0, 0
	}
	precision, recall = float64(common)/float64(n), float64(common)/float64(m)
	return precision, recall, 2 * precision * recall / (precision + recall)
}

// F1 of each page, as measured when testdata/quality.txt was last written.
func TestQuality(t *testing.T) {
	const floor = 0.97 // of the mean
	p := closing(t, Options{})
	var table strings.Builder
	w := tabwriter.NewWriter(&table, 0, 0, 2, ' ', 0)
	fmt.Fprintln(w, "page\tprecision\trecall\tF1\tlanguage\tscore")
	sum, all := 0.0, knownPages(t)
	for _, known := range all {
		r, err := p.Extract(t.Context(), known.page)
		if err != nil {
			t.Errorf("%s: %v", known.name, err)
		}
		precision, recall, f1 := compare(r.Text, known.want)
		sum += f1
		fmt.Fprintf(w, "%s\t%.3f\t%.3f\t%.3f\t%s\t%.2f\n", known.name, precision, recall, f1, r.Language, r.Score)
	}
	mean := sum / float64(len(all))
	fmt.Fprintf(w, "mean of %d\t\t\t%.3f\t\t\n", len(all), mean)
	w.Flush()
	t.Log("\n" + table.String())
	if mean < floor {
		t.Errorf("got mean F1 %.3f, want at least %.2f", mean, floor)
	}
	const golden = "testdata/quality.txt"
	if *update {
		if err := os.WriteFile(golden, []byte(table.String()), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(string(want), table.String()); diff != "" {
		t.Errorf("%s: -want +got (run with -update when it is better):\n%s", golden, diff)
	}
}

// One iteration is one page, on one core.
func BenchmarkExtract(b *testing.B) {
	pages := knownPages(b)
	long := knownPages(b)[0].page
	paragraph := []byte("<p>" + strings.Repeat(sentence, 6) + "</p>")
	long.Body = bytes.Replace(long.Body, []byte("</article>"), append(bytes.Repeat(paragraph, 290), "</article>"...), 1)
	sizes := map[string][]Page{"147KB": {long}}
	for _, known := range pages {
		sizes["30pages"] = append(sizes["30pages"], known.page)
	}
	for _, size := range []string{"30pages", "147KB"} {
		b.Run(size, func(b *testing.B) {
			p := NewPool(Options{Workers: 1})
			defer p.Close()
			bytes, at := 0, 0
			b.ReportAllocs()
			for b.Loop() {
				page := sizes[size][at%len(sizes[size])]
				if _, err := p.Extract(b.Context(), page); err != nil {
					b.Fatal(err)
				}
				bytes += len(page.Body)
				at++
			}
			b.SetBytes(int64(bytes / at))
			b.ReportMetric(float64(at)/b.Elapsed().Seconds(), "pages/s")
		})
	}
}

func BenchmarkSimhash(b *testing.B) {
	text := strings.Repeat(essay, 10)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		simhashOf(normal(text))
	}
}
