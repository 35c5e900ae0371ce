// Command bench compares decorum's robots and sitemap packages with similar
// libraries on the same inputs and prints a table of processor time, allocations
// and correct answers. It is a separate module, so that importing decorum does not
// require these libraries. "make bench" runs it.
package main

import (
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"text/tabwriter"
	"time"
)

// rounds is how often each figure is measured; the best result is printed.
const rounds = 3

func main() {
	last := flag.Duration("time", 200*time.Millisecond, "how long each of the three measurements of a figure lasts")
	flag.Parse()
	if err := run(os.Stdout, *last); err != nil {
		fmt.Fprintln(os.Stderr, "bench:", err)
		os.Exit(1) //nolint:forbidigo // this is main
	}
}

func run(out io.Writer, last time.Duration) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', 0)
	if err := robotsTable(table, last); err != nil {
		return err
	}
	fmt.Fprintln(table)
	if err := sitemapTable(table, last); err != nil {
		return err
	}
	return table.Flush()
}

func robotsTable(out io.Writer, last time.Duration) error {
	fmt.Fprint(out, "robots.txt")
	for _, m := range matchers {
		fmt.Fprint(out, "\t", m.name)
	}
	fmt.Fprint(out, "\tcount of lines\n")
	for _, rules := range []int{50, 10_000} {
		body := robotsOf(rules)
		fmt.Fprintf(out, "parse %d rules, %d KiB", rules, len(body)>>10)
		for _, m := range matchers {
			fmt.Fprint(out, "\t", perOp(measure(last, func() error { return m.parse(body) })))
		}
		fmt.Fprintf(out, "\t%s\n", perOp(measure(last, func() error { countLines(body); return nil })))
	}
	for _, input := range matchInputs() {
		fmt.Fprintf(out, "match %s", input.name)
		for _, m := range matchers {
			check, err := m.ready(input.body)
			if err != nil {
				return fmt.Errorf("prepare %s: %w", m.name, err)
			}
			fmt.Fprint(out, "\t", perOp(measure(last, func() error { check(input.path); return nil })))
		}
		fmt.Fprint(out, "\n")
	}
	fmt.Fprint(out, "right answers to RFC 9309")
	for _, m := range matchers {
		fmt.Fprintf(out, "\t%d of %d", count(questions, func(q question) bool { return q.ask(m) == "" }), len(questions))
	}
	fmt.Fprint(out, "\nnames the line that decides")
	for _, m := range matchers {
		fmt.Fprint(out, "\t", map[bool]string{true: "yes", false: "no"}[m.line != nil])
	}
	fmt.Fprintln(out)
	return nil
}

func sitemapTable(out io.Writer, last time.Duration) error {
	body := urlset()
	files, err := vectors("../sitemap/testdata")
	if err != nil {
		return err
	}
	rows := []string{"sitemap", fmt.Sprintf("read %d entries, %.1f MB", entries, float64(len(body))/1e6), "allocations an entry", "test files read as decorum's tests want"}
	for _, r := range readers {
		result := measure(last, func() error {
			return r.read(body, home, func(string) {})
		})
		right := count(files, func(v vector) bool { return v.readBy(r) })
		rows[0] += "\t" + r.name
		rows[1] += fmt.Sprintf("\t%.0f MB/s", float64(len(body))/1e6/result.time.Seconds())
		rows[2] += fmt.Sprintf("\t%.1f", result.allocs/entries)
		rows[3] += fmt.Sprintf("\t%d of %d", right, len(files))
	}
	scan := measure(last, func() error { countLocs(body); return nil })
	rows[0] += "\tcount of <loc>"
	rows[1] += fmt.Sprintf("\t%.0f MB/s", float64(len(body))/1e6/scan.time.Seconds())
	_, err = fmt.Fprintln(out, strings.Join(rows, "\n"))
	return err
}

// measured is the cost of one operation.
type measured struct {
	time   time.Duration // of the processor
	allocs float64
	failed error
}

// measure returns the best of a few rounds. It measures the processor time of all
// threads together, which depends less on the load of the machine.
func measure(last time.Duration, operation func() error) (best measured) {
	if err := operation(); err != nil {
		return measured{failed: err}
	}
	for range rounds {
		n := 1
		took := timed(n, operation)
		for took < last {
			n *= 2
			took = timed(n, operation)
		}
		if each := took / time.Duration(n); best.time == 0 || each < best.time {
			best.time = each
		}
	}
	best.allocs = testing.AllocsPerRun(1, func() { _ = operation() })
	return best
}

// timed returns the processor time of n operations, which have succeeded before.
func timed(n int, operation func() error) time.Duration {
	runtime.GC()
	before := processorTime()
	for range n {
		_ = operation()
	}
	return processorTime() - before
}

func processorTime() time.Duration {
	var usage syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &usage); err != nil {
		panic("bench: get processor time: " + err.Error())
	}
	return time.Duration(usage.Utime.Nano() + usage.Stime.Nano())
}

// perOp returns the time in a readable unit.
func perOp(m measured) string {
	switch d := m.time; {
	case m.failed != nil:
		return "refused"
	case d < time.Microsecond:
		return fmt.Sprintf("%d ns", d.Nanoseconds())
	case d < 10*time.Microsecond:
		return fmt.Sprintf("%.1f us", float64(d)/float64(time.Microsecond))
	case d < time.Millisecond:
		return fmt.Sprintf("%d us", d.Microseconds())
	default:
		return fmt.Sprintf("%.1f ms", float64(d)/float64(time.Millisecond))
	}
}

func count[T any](list []T, holds func(T) bool) (n int) {
	for _, v := range list {
		if holds(v) {
			n++
		}
	}
	return n
}
