package crawler

import (
	"context"
	"log/slog"
	"net/netip"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// Options of a crawl. The zero value of a field means its default.
type Options struct {
	AgentToken string // matched in robots.txt and sent in User-Agent; "decorum"
	Version    string // sent behind the token
	Contact    string // URL or mail address, sent in User-Agent

	Scope    *frontier.Scope // nil: any URL
	Links    bool            // follow links
	Sitemaps bool            // read sitemaps

	Delay        time.Duration // gap between requests to a host; 0 is no gap
	MaxDelay     time.Duration // 60 s; caps what the crawl itself adds, never what a site asks for
	Workers      int           // 32
	Timeout      time.Duration // of one request; 30 s
	MaxPageBytes int64         // decoded; 10 MiB
	MaxRedirects int           // 10; negative is none
	MaxRetries   int           // 3; negative is none
	MaxURLLength int           // 2,048
	MaxLinks     int           // of one page; 10,000
	MaxDepth     int           // 20

	MaxPages int64         // 0: no limit
	MaxBytes int64         // 0: no limit
	MaxTime  time.Duration // 0: no limit

	Allow Network // private addresses that may be dialled

	// OwnSitemaps are host names or host:port of the user's own sites, whose
	// sitemaps a [Client] reads even where robots.txt forbids it; pages never.
	OwnSitemaps []string

	// Capture makes the records of a request and its answer as they went over
	// the wire. It is called for each page in its final state, and for each
	// answer to a request for a robots.txt, a sitemap or a file of a sink. With
	// it only HTTP/1.1 is spoken, whose header lines can be kept, and only gzip
	// is asked for, which every reader of archives knows. nil: nothing is kept.
	Capture func(*Wire) ([]frontier.Record, error)
	// Record makes records durable that belong to no item, those of robots.txt
	// and files of sinks; needed with Capture.
	Record func(ctx context.Context, records []frontier.Record) error

	Sinks    []Sink                       // make further records of pages
	Versions Versions                     // of sitemap files; none are remembered by default
	Robots   robots.Store                 // nil: memory
	Evidence func(*robots.Document) error // called for every robots.txt fetched; may be nil
	Logger   *slog.Logger                 // nil: discard
}

// A Network names addresses beyond the public internet that may be dialled.
type Network struct {
	Loopback bool
	Private  bool
	Prefixes []netip.Prefix
	Hosts    []string // exact host:port of seeds typed by the user
}

func (o Options) withDefaults() Options {
	setDefault(&o.AgentToken, "decorum")
	setDefault(&o.Version, "0.1")
	setDefault(&o.MaxDelay, time.Minute)
	setDefault(&o.Workers, 32)
	setDefault(&o.Timeout, 30*time.Second)
	setDefault(&o.MaxPageBytes, 10<<20)
	setDefault(&o.MaxRedirects, 10)
	setDefault(&o.MaxRetries, 3)
	setDefault(&o.MaxURLLength, frontier.MaxURLLength)
	setDefault(&o.MaxLinks, 10_000)
	setDefault(&o.MaxDepth, 20)
	if o.Robots == nil {
		o.Robots = &robots.Memory{}
	}
	if o.Logger == nil {
		o.Logger = slog.New(slog.DiscardHandler)
	}
	return o
}

func setDefault[T comparable](field *T, value T) {
	var zero T
	if *field == zero {
		*field = value
	}
}

// UserAgent gives the User-Agent header: the token that is matched in
// robots.txt, the version and the contact.
func (o Options) UserAgent() string {
	o = o.withDefaults()
	agent := o.AgentToken + "/" + o.Version
	if o.Contact != "" {
		agent += " (+" + o.Contact + ")"
	}
	return agent
}
