package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
)

// waits reports what requests wait for. It reports the same reason for a host only
// once, or once a minute if the waits take a minute or more.
type waits struct {
	out io.Writer

	mu   sync.Mutex
	told map[waitOf]time.Time
}

type waitOf struct {
	host string
	why  fetch.Why
}

func newWaits(out io.Writer) *waits { return &waits{out: out, told: map[waitOf]time.Time{}} }

func (w *waits) begin(one fetch.Wait) {
	of := waitOf{one.Host, one.Why}
	w.mu.Lock()
	defer w.mu.Unlock()
	if last, ok := w.told[of]; ok && (one.Until.Sub(one.Since) < time.Minute || one.Since.Sub(last) < time.Minute) {
		return
	}
	w.told[of] = one.Since
	fmt.Fprintf(w.out, "decorum: waiting %s for %s, until %s: %s\n",
		one.Until.Sub(one.Since).Round(time.Second), safe(one.Host), one.Until.UTC().Format(time.RFC3339), describe(one.Why))
}

// describe returns in words why a request to a host must wait.
func describe(why fetch.Why) string {
	switch why {
	case fetch.WhyCrawlDelay:
		return "Crawl-delay in its robots.txt"
	case fetch.WhyRetryAfter:
		return "Retry-After in its last response"
	case fetch.WhyBackOff:
		return "the host is slow or overloaded"
	case fetch.WhyTurn:
		return "another request to it is in progress"
	}
	return "the delay between requests"
}
