package main

import (
	"context"
	"fmt"
	"io"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/frontier"
)

// progress shows how far a crawl is: a bar on a terminal, a line now and then
// elsewhere.
type progress struct {
	out      io.Writer
	stats    func() frontier.Stats
	interval time.Duration
	bar      *progressbar.ProgressBar // nil: lines
	silent   bool                     // only when asked by a signal
	started  time.Time
}

func newProgress(env environment, c configs.Config, silent bool, queue frontier.Frontier) *progress {
	p := &progress{
		out: env.stderr, stats: queue.Stats, interval: time.Duration(c.ProgressInterval),
		silent: silent || c.Progress == "none", started: time.Now(),
	}
	ci := env.getenv("CI") != "" || env.getenv("TERM") == "dumb"
	if !p.silent && (c.Progress == "bar" || c.Progress == "auto" && env.isTTY && !ci) {
		p.interval = 250 * time.Millisecond
		p.bar = progressbar.NewOptions64(1,
			progressbar.OptionSetWriter(env.stderr), progressbar.OptionEnableColorCodes(false),
			progressbar.OptionSetWidth(24), progressbar.OptionShowCount(), progressbar.OptionSetPredictTime(false),
			progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish(),
		)
	}
	return p
}

// run shows progress until ctx is done, and at once when shown says so.
func (p *progress) run(ctx context.Context, shown <-chan struct{}) {
	ticker := time.NewTicker(p.interval)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			if p.bar != nil {
				_ = p.bar.Clear()
			}
			return
		case <-shown:
			p.line()
		case <-ticker.C:
			if p.bar != nil {
				p.draw()
			} else if !p.silent {
				p.line()
			}
		}
	}
}

// draw moves the bar. Its maximum is always one more than what is known, for a
// bar that reaches its maximum ends for good.
func (p *progress) draw() {
	stats := p.stats()
	p.bar.ChangeMax64(stats.Done + stats.Pending + 1)
	p.bar.Describe(fmt.Sprintf("%d pages, %d hosts, %s", stats.Done, stats.Hosts, remaining(stats)))
	_ = p.bar.Set64(stats.Done)
}

func (p *progress) line() {
	stats := p.stats()
	elapsed := time.Since(p.started)
	fmt.Fprintf(p.out, "progress pages=%d pending=%d skipped=%d hosts=%d in_flight=%d elapsed=%s eta_at_least=%s\n",
		stats.Done, stats.Pending, stats.Skipped, stats.Hosts, stats.Leased,
		elapsed.Round(time.Second), stats.Remaining.Round(time.Second))
}

func remaining(stats frontier.Stats) string {
	return "at least " + stats.Remaining.Round(time.Second).String() + " left"
}
