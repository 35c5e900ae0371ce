package main

import (
	"fmt"
	"io"
	"sync"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
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

// shownParked is the number of parked hosts that are named.
const shownParked = 5

// warnParked says which hosts a run has left with URLs pending.
func warnParked(out io.Writer, result crawler.Result, pending int64) {
	if len(result.Parked) == 0 {
		return
	}
	fmt.Fprintf(out, "decorum: warning: %s left pending, because the hosts do not answer or want a long wait; decorum resume asks again\n", plural(int(pending), "URL"))
	for i, w := range result.Parked {
		if i == shownParked {
			fmt.Fprintf(out, "decorum: and %d more hosts\n", len(result.Parked)-i)
			return
		}
		fmt.Fprintf(out, "decorum: %s: %s", safe(w.Host), describe(w.Why))
		if w.Why != fetch.WhyAway {
			fmt.Fprintf(out, ", until %s", w.Until.UTC().Format(time.RFC3339))
		}
		fmt.Fprintln(out)
	}
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
	case fetch.WhyAway:
		return "it did not answer several times in a row"
	case fetch.WhyAddress:
		return "requests to other hosts at its IP address"
	case fetch.WhyTurn:
		return "another request to it is in progress"
	}
	return "the delay between requests"
}
