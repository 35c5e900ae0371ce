package main

import (
	"bytes"
	"context"
	"fmt"
	"log/slog"
	"runtime/pprof"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
)

// stallAfter is how long a crawl may be busy without an outcome. The longest thing
// that it does without waiting for a host is to read a sitemap for five minutes.
const stallAfter = 15 * time.Minute

// watchStall calls stalled, once, when a crawl has been busy for patience without
// an outcome and without waiting for a host. It returns then, or when ctx is done.
func watchStall(ctx context.Context, patience time.Duration, read func() crawler.Activity, stalled func(crawler.Activity)) {
	ticker := time.NewTicker(patience / 10)
	defer ticker.Stop()
	last, since := read(), time.Now()
	for {
		select {
		case <-ctx.Done():
			return
		case now := <-ticker.C:
			current := read()
			if current.Outcomes != last.Outcomes || current.Busy == 0 || len(current.Waiting) > 0 {
				last, since = current, now
				continue
			}
			if now.Sub(since) >= patience {
				stalled(current)
				return
			}
		}
	}
}

// giveUp ends a process whose crawl has stalled. What was committed is kept; the
// stacks in crawl.log tell where it hangs.
func (r *crawlRun) giveUp(logger *slog.Logger) func(crawler.Activity) {
	return func(a crawler.Activity) {
		var stacks bytes.Buffer
		_ = pprof.Lookup("goroutine").WriteTo(&stacks, 1) // to memory
		logger.Error("stalled", "outcomes", a.Outcomes, "busy", a.Busy, "stats", fmt.Sprintf("%+v", r.queue.Stats()), "goroutines", stacks.String())
		fmt.Fprintf(r.env.stderr, "decorum: internal error: no progress for %s; the stacks are in crawl.log\n"+
			"decorum: hint: please report it with crawl.log; decorum resume %s goes on\n", stallAfter, safe(r.folder.Path()))
		exitNow(exitInternal)
	}
}
