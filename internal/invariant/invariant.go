// Package invariant checks what must be true of every crawl, whatever happened to
// it: processes killed at any moment, failing disks, wrong clocks, sites that
// change. Tests only; docs/testing.md explains the seven invariants.
package invariant

import (
	"bytes"
	"fmt"
	"slices"
	"time"

	"github.com/decorum-crawler/decorum/internal/testsite"
	"github.com/decorum-crawler/decorum/robots"
)

// A Crawl is a crawl as others saw it. Fields without a value are not checked.
type Crawl struct {
	Web   *testsite.Web // what the sites saw; nothing but this crawl may have asked them
	Delay time.Duration // the least gap at each host

	Dir       string    // the crawl directory, not in use
	Finished  bool      // nothing may be pending
	Processes []Process // that worked on it

	MaxRSS  int64 // bytes that any process may take
	MaxDisk int64 // bytes of all files in Dir
	MaxFDs  int   // of any process
}

// A Process is one that has ended.
type Process struct {
	Code   int       // exit code, -1 when it was killed
	Killed time.Time // zero unless the test killed it
	Output []byte    // what it printed to standard output and standard error
	RSS    int64     // its peak, in bytes; 0 is not checked
	FDs    int       // its peak; 0 is not checked
}

// slack is how much shorter than the delay a gap may look, for the server
// measures it.
const slack = 5 * time.Millisecond

// codes are the documented exit codes of a crawl that was asked for correctly.
var codes = []int{0, 3, 4, 6, 130, 143}

// Violations returns what is not as it must be, a sentence each. The numbers are
// those of the invariants.
func (c Crawl) Violations() []string {
	var found []string
	for _, check := range []struct {
		name string
		run  func() []string
	}{
		{"I1 robots.txt", c.forbidden},
		{"I2 spacing", c.spacing},
		{"I3 final states", c.states},
		{"I4 agreement", c.agreement},
		{"I5 exit code", c.exits},
		{"I6 terminal", c.terminal},
		{"I7 limits", c.limits},
	} {
		for _, what := range check.run() {
			found = append(found, check.name+": "+what)
		}
	}
	return found
}

func (c Crawl) forbidden() []string {
	if c.Web == nil {
		return nil
	}
	var deaths []time.Time
	for _, p := range c.Processes {
		if !p.Killed.IsZero() {
			deaths = append(deaths, p.Killed)
		}
	}
	return c.Web.Forbidden(judge, deaths)
}

// judge says what an answer to a request for robots.txt says about a path.
func judge(answer testsite.Hit, path string) testsite.Verdict {
	document := &robots.Document{Status: answer.Status, Body: []byte(answer.Text)}
	switch {
	case document.Class() == robots.ClassUnreachable:
		return testsite.Unusable
	case document.Check("decorum", path).Allowed:
		return testsite.Allowed
	}
	return testsite.Forbidden
}

func (c Crawl) spacing() []string {
	if c.Web == nil || c.Delay == 0 {
		return nil
	}
	var found []string
	for site := range c.Web.Gaps() {
		found = append(found, c.Web.TooFast(site, c.Delay-slack)...)
	}
	slices.Sort(found)
	return found
}

func (c Crawl) exits() []string {
	var found []string
	for i, p := range c.Processes {
		if p.Killed.IsZero() && !slices.Contains(codes, p.Code) {
			found = append(found, fmt.Sprintf("process %d ended with %d and said %q", i, p.Code, p.Output))
		}
	}
	return found
}

func (c Crawl) terminal() []string {
	var found []string
	for i, p := range c.Processes {
		for line := range bytes.Lines(p.Output) {
			if bytes.ContainsFunc(bytes.TrimSuffix(line, []byte("\n")), isControl) {
				found = append(found, fmt.Sprintf("process %d printed %q", i, line))
			}
		}
	}
	return found
}

// isControl reports whether a terminal may obey r instead of showing it.
func isControl(r rune) bool {
	return r != '\t' && (r < 0x20 || r >= 0x7f && r <= 0x9f || r == 0x061c || r == 0x200e || r == 0x200f ||
		r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069)
}

func (c Crawl) limits() []string {
	var found []string
	for i, p := range c.Processes {
		if c.MaxRSS > 0 && p.RSS > c.MaxRSS {
			found = append(found, fmt.Sprintf("process %d took %d bytes of memory, more than %d", i, p.RSS, c.MaxRSS))
		}
		if c.MaxFDs > 0 && p.FDs > c.MaxFDs {
			found = append(found, fmt.Sprintf("process %d had %d files open, more than %d", i, p.FDs, c.MaxFDs))
		}
	}
	if size := c.disk(); c.MaxDisk > 0 && size > c.MaxDisk {
		found = append(found, fmt.Sprintf("%s takes %d bytes, more than %d", c.Dir, size, c.MaxDisk))
	}
	return found
}
