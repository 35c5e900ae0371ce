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

// progress shows how far a run has come: with a bar on a terminal, and elsewhere
// with a line per interval.
type progress struct {
	out      io.Writer
	read     func() progressState
	interval time.Duration
	bar      *progressbar.ProgressBar // nil: print lines
	silent   bool                     // show progress only on a signal
	started  time.Time
}

// progressState is how far a run has come.
type progressState struct {
	line        string // facts as key=value
	text        string // shown next to a bar
	done, known int64  // position and end of the bar; known is 0 if the end is unknown
}

func newProgress(env environment, c configs.Config, silent bool, read func() progressState) *progress {
	p := &progress{
		out: env.stderr, read: read, interval: time.Duration(c.ProgressInterval),
		silent: silent || c.Progress == "none", started: time.Now(),
	}
	ci := env.getenv("CI") != "" || env.getenv("TERM") == "dumb"
	if !p.silent && (c.Progress == "bar" || c.Progress == "auto" && env.isTTY && !ci) {
		p.interval = 250 * time.Millisecond
		p.bar = newBar(env.stderr, read().known > 0)
	}
	return p
}

// newBar returns a bar, or a spinner if the end is unknown.
func newBar(out io.Writer, ends bool) *progressbar.ProgressBar {
	options := []progressbar.Option{
		progressbar.OptionSetWriter(out), progressbar.OptionEnableColorCodes(false),
		progressbar.OptionSetPredictTime(false), progressbar.OptionSetElapsedTime(false), progressbar.OptionClearOnFinish(),
	}
	if !ends {
		return progressbar.NewOptions64(-1, append(options, progressbar.OptionSpinnerType(14), progressbar.OptionSetWidth(1))...)
	}
	return progressbar.NewOptions64(1, append(options, progressbar.OptionSetWidth(24), progressbar.OptionShowCount())...)
}

// run shows progress until ctx is done. A value from shown asks for a line now.
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

// draw updates the bar.
func (p *progress) draw() {
	now := p.read()
	p.bar.Describe(now.text)
	if now.known == 0 {
		_ = p.bar.RenderBlank()
		return
	}
	p.bar.ChangeMax64(now.known)
	_ = p.bar.Set64(now.done)
}

func (p *progress) line() {
	fmt.Fprintf(p.out, "progress %s elapsed=%s\n", p.read().line, time.Since(p.started).Round(time.Second))
}

// crawlState returns how far a crawl has come. Its end is one more than the
// number of known URLs, because a bar that reaches its end is not drawn again.
func crawlState(queue frontier.Frontier) progressState {
	stats := queue.Stats()
	left := stats.Remaining.Round(time.Second)
	return progressState{
		line: fmt.Sprintf("pages=%d pending=%d skipped=%d hosts=%d in_flight=%d eta_at_least=%s",
			stats.Done, stats.Pending, stats.Skipped, stats.Hosts, stats.Leased, left),
		text: fmt.Sprintf("%s, %s, at least %s left", plural(int(stats.Done), "page"), plural(int(stats.Hosts), "host"), left),
		done: stats.Done, known: stats.Done + stats.Pending + 1,
	}
}
