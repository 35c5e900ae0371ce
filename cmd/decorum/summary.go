package main

import (
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/trap"
	"github.com/decorum-crawler/decorum/frontier"
)

// summary is a decorum.summary/1 object.
type summary struct {
	Schema    string           `json:"schema"`
	Directory string           `json:"directory"`
	Ended     string           `json:"ended"` // complete, limit, parked, stopped or disk
	Pages     int64            `json:"pages"`
	Skipped   int64            `json:"skipped"`
	Pending   int64            `json:"pending"`
	ElapsedMS int64            `json:"elapsed_ms"`
	Run       runCounts        `json:"run"`
	Statuses  map[string]int64 `json:"statuses"` // of this run; "0" means no response
	Blocked   map[string]int64 `json:"blocked"`  // of this run, by reason
	// Unreachable tells why a robots.txt could not be fetched, by origin.
	Unreachable map[string]string `json:"unreachable,omitempty"`
	Traps       []trap.Closing    `json:"traps,omitempty"` // patterns that this run closed
}

type runCounts struct {
	Pages int64 `json:"pages"`
	Bytes int64 `json:"bytes"`
}

// shownUnreachable and shownTraps are the numbers of origins and of patterns that
// the summary names.
const (
	shownUnreachable = 5
	shownTraps       = 10
)

func summarise(directory string, result crawler.Result, stats frontier.Stats, elapsed time.Duration, stop *stopper) summary {
	s := summary{
		Schema: "decorum.summary/1", Directory: directory, Ended: "complete",
		Pages: stats.Done, Skipped: stats.Skipped, Pending: stats.Pending, ElapsedMS: elapsed.Milliseconds(),
		Run:      runCounts{Pages: result.Pages, Bytes: result.Bytes},
		Statuses: map[string]int64{}, Blocked: map[string]int64{}, Unreachable: result.Unreachable, Traps: result.Traps,
	}
	for status, n := range result.Statuses {
		s.Statuses[strconv.Itoa(status)] = n
	}
	for reason, n := range result.Skips {
		s.Blocked[string(reason)] = n
	}
	code, stopped := stop.exitCode()
	switch {
	case stopped && code == exitIO:
		s.Ended = "disk"
	case stopped:
		s.Ended = "stopped"
	case result.Limited:
		s.Ended = "limit"
	case len(result.Parked) > 0:
		s.Ended = "parked"
	}
	return s
}

func (s summary) print(out io.Writer, asJSON, quiet bool) error {
	if asJSON {
		return newEncoder(out).Encode(s)
	}
	if quiet {
		return nil
	}
	var b strings.Builder
	fmt.Fprintf(&b, "%d pages, %d skipped, %d pending", s.Pages, s.Skipped, s.Pending)
	if s.Ended != "complete" {
		fmt.Fprintf(&b, " (%s)", s.Ended)
	}
	fmt.Fprintf(&b, "\nthis run: %d pages, %.1f MB in %s\n", s.Run.Pages, float64(s.Run.Bytes)/1e6,
		(time.Duration(s.ElapsedMS) * time.Millisecond).Round(100*time.Millisecond))
	for _, status := range slices.Sorted(maps.Keys(s.Statuses)) {
		label := status
		if status == "0" {
			label = "no answer"
		}
		fmt.Fprintf(&b, "  %-20s %8d\n", label, s.Statuses[status])
	}
	for _, reason := range slices.Sorted(maps.Keys(s.Blocked)) {
		fmt.Fprintf(&b, "  %-20s %8d\n", reason, s.Blocked[reason])
	}
	for i, origin := range slices.Sorted(maps.Keys(s.Unreachable)) {
		if i == shownUnreachable {
			fmt.Fprintf(&b, "  and %d more origins without a robots.txt; see crawl.log\n", len(s.Unreachable)-i)
			break
		}
		fmt.Fprintf(&b, "  %s\n", safe(s.Unreachable[origin]))
	}
	for i, closed := range s.Traps {
		if i == shownTraps {
			fmt.Fprintf(&b, "  and %d more traps; see crawl.log\n", len(s.Traps)-i)
			break
		}
		fmt.Fprintf(&b, "  trap: %s (%d pages, %d with new text)\n", safe(closed.Pattern), closed.Pages, closed.Fresh)
	}
	fmt.Fprintf(&b, "files: %s\n", safe(s.Directory))
	if s.Pending > 0 {
		fmt.Fprintf(&b, "next:  decorum resume %s\n", safe(s.Directory))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
