package crawler_test

import (
	"bytes"
	"context"
	"fmt"
	"log"
	"sync/atomic"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// Example crawls a site with a frontier in memory. For crawls that can be resumed
// see package crawldir.
func Example() {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 3)

	queue, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{})
	if err != nil {
		log.Fatal(err)
	}
	options := crawler.Options{Links: true}
	options.Fetch.Delay, options.Fetch.Allow.Loopback = -1, true // the site is on this machine
	crawl, ctx := crawler.New(queue, options), context.Background()
	if _, err := crawl.Seed(ctx, []string{site.URL() + "/"}); err != nil {
		log.Fatal(err)
	}
	result, err := crawl.Run(ctx, nil)
	fmt.Println(result.Drained, result.Statuses[200] > 3, err, queue.Close())
	// Output: true true <nil> <nil>
}

// ExampleSink counts the bytes of all pages that mention a price.
func ExampleSink() {
	var priced atomic.Int64
	sink := crawler.Sink{Keep: func(_ context.Context, v *crawler.Visit) ([]frontier.Record, error) {
		if bytes.Contains(v.Body, []byte("price")) {
			priced.Add(int64(len(v.Body)))
		}
		return nil, nil // or records for an output, each written exactly once per page
	}}
	_, err := sink.Keep(context.Background(), &crawler.Visit{Body: []byte("a price of 3")})
	fmt.Println(priced.Load(), err)
	// Output: 12 <nil>
}
