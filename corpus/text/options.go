package text

import (
	"os/exec"
	"runtime"
	"time"
)

// Options are the limits of a [Pool]. The zero value of a field means its default.
type Options struct {
	Workers  int           // pages read at a time; GOMAXPROCS
	MaxBytes int           // of a page as received and again as UTF-8; 4 MiB
	MaxNodes int           // elements, texts and comments of its tree; 50,000
	MaxDepth int           // of nested elements; 200, at most 500
	Format   Format        // of the text of HTML; Plain
	PDF      PDF           // reads PDF files; none: they have no document
	Deadline time.Duration // for one page, from the moment a worker has it; 10 s
	MaxLate  int           // late runs whose workers are replaced, at a time; Workers; unused with Start

	// Start returns the command of a process that calls [Serve]; each worker has
	// one. The process of a late page is killed, and a page that crashes its process
	// affects no other. nil: pages are read in this process.
	Start func() *exec.Cmd
}

// Format is the form of a text.
type Format string

// The forms.
const (
	Plain    Format = "plain"
	Markdown Format = "markdown" // CommonMark with GitHub's tables
)

// parserDepth is just below the nesting that x/net/html rejects.
const parserDepth = 500

func (o Options) withDefaults() Options {
	if o.Workers <= 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	if o.MaxBytes <= 0 {
		o.MaxBytes = 4 << 20
	}
	if o.MaxNodes <= 0 {
		o.MaxNodes = 50_000
	}
	if o.MaxDepth <= 0 {
		o.MaxDepth = 200
	}
	o.MaxDepth = min(o.MaxDepth, parserDepth)
	if o.Format == "" {
		o.Format = Plain
	}
	if o.Deadline <= 0 {
		o.Deadline = 10 * time.Second
	}
	if o.MaxLate <= 0 {
		o.MaxLate = o.Workers
	}
	return o
}
