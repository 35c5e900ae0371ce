package corpus_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/corpus/text"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// BenchmarkBuilderPage takes one small page through Refuse, Admit and Keep. The
// number of rules in robots.txt must not matter.
func BenchmarkBuilderPage(b *testing.B) {
	policy, err := signal.PolicyOf("declared")
	if err != nil {
		b.Fatal(err)
	}
	for _, rules := range []int{10, 300, 10_000} {
		b.Run(fmt.Sprintf("rules=%d", rules), func(b *testing.B) {
			sink := corpus.NewBuilder(corpus.Options{
				Agent: "decorum", Policy: policy,
				Extract: func(context.Context, text.Page) (text.Result, error) { return text.Result{Text: "text"}, nil },
			}).Sink()
			d := manyRules(rules)
			header := http.Header{"Content-Type": {"text/html; charset=utf-8"}}
			body := []byte("<title>A page</title><body><p>A text.")
			b.ReportAllocs()
			for b.Loop() {
				item := frontier.Item{URL: "https://farm.example/page/1"}
				if _, refused := sink.Refuse(item, d); refused {
					b.Fatal("the page is refused")
				}
				e := &crawler.Visit{Item: item, Robots: d, Status: http.StatusOK, Header: header, Body: body, StartedAt: time.Unix(1, 0)}
				if !sink.Admit(e) {
					b.Fatal("the page is not admitted")
				}
				if records, err := sink.Keep(b.Context(), e); err != nil || len(records) != 2 {
					b.Fatalf("got %d records, %v, want evidence and a document", len(records), err)
				}
			}
		})
	}
}

// manyRules returns a robots.txt with that many rules for all crawlers, and as
// many on training.
func manyRules(n int) *robots.Document {
	var body bytes.Buffer
	for _, agent := range []string{"*", robots.TrainingToken} {
		fmt.Fprintf(&body, "User-agent: %s\n", agent)
		for i := range n / 2 {
			fmt.Fprintf(&body, "Disallow: /closed/%d/*.html\n", i)
		}
	}
	return &robots.Document{Origin: "https://farm.example", FinalURL: "https://farm.example/robots.txt", Status: http.StatusOK, Body: body.Bytes()}
}
