package fetch

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// Options of a [Client]. The zero value of a field means its default.
type Options struct {
	AgentToken string // product token, matched in robots.txt and sent in User-Agent; "decorum"
	Version    string // sent after the token; "0.1"
	Contact    string // URL or mail address, sent in User-Agent; [Options.Validate] requires it for public hosts

	Delay        time.Duration // least gap between two requests to a host; 0: 1 s, negative: none
	PerIPDelay   time.Duration // least time between the starts of two requests to an IP address; 0: none
	MaxDelay     time.Duration // limits what back-off adds, never what a site asks for; 60 s
	MaxWait      time.Duration // a longer wait for a host fails with a [*WaitError]; 10 x MaxDelay
	Timeout      time.Duration // per request; 30 s
	MaxPageBytes int64         // decoded; 10 MiB
	MaxRedirects int           // 10; negative: none
	MaxRetries   int           // 3; negative: none
	MaxURLLength int           // bytes; 2,048
	RobotsMemory int64         // bytes of robots.txt files that are held besides the store; 64 MiB
	BodyMemory   int64         // bytes of bodies of more than 512 KiB, and what is made of them, in use at once; 64 MiB
	BodyCost     int64         // bytes of it that a byte of a body takes, with its text and records; 0 means 2, and 4 with KeepWire

	IdleConnections int // kept open between requests, at most; 256

	Allow Network // addresses beyond the public internet that may be dialed

	// Own lists host names or host:port of the user's own sites. They need no
	// contact and have no minimum delay.
	Own []string
	// OwnSitemaps allows [Client.Open] to read files of Own hosts that robots.txt
	// forbids. Pages stay forbidden.
	OwnSitemaps bool

	Robots   robots.Store                 // stores robots.txt documents; nil: in memory
	Evidence func(*robots.Document) error // called for every robots.txt fetched; may be nil

	// Saved returns when the next request to a host of an earlier run may start, and
	// its gap; ok is false for an unknown host. It is called once per host. May be
	// nil.
	Saved func(host string) (next time.Time, gap time.Duration, ok bool)

	// KeepWire keeps each request and response as they went over the connection. It
	// limits requests to HTTP/1.1, whose header lines can be kept, and to gzip,
	// which every reader of archives can decode.
	KeepWire bool
	// Wire is called with each response except those of [Client.Get] and
	// [Client.Header]: robots.txt and its redirects, sitemaps and files. May be nil.
	Wire func(context.Context, *Wire) error

	// Waiting is called when a request begins to wait for longer than 3 s. It
	// must not call the client. May be nil.
	Waiting func(Wait)

	Logger *slog.Logger // nil: discard
}

// A Network names addresses beyond the public internet that may be dialed.
type Network struct {
	Loopback bool
	Private  bool
	Prefixes []netip.Prefix
	Hosts    []string // exact host:port of seeds that the user typed
}

// Errors of [Options.Validate].
var (
	// ErrNoContact means that the client has no contact for the owner of a public
	// host.
	ErrNoContact = errors.New("no contact")
	// ErrTooFast means that the delay is too short for a public host.
	ErrTooFast = errors.New("delay too short")
)

// PublicDelay is the minimum delay for public hosts. A client keeps it whatever
// its options say, except for [Options.Own].
const PublicDelay = 100 * time.Millisecond

// Validate checks that the options suit the hosts of these canonical URLs. It
// returns all faults joined: [ErrNoContact] and [ErrTooFast], each with the host.
// Local hosts, such as localhost and literal private addresses, need nothing.
func (o Options) Validate(urls ...string) error {
	o = o.withDefaults()
	var faults []error
	seen := map[string]bool{}
	for _, address := range urls {
		host := frontier.HostOf(address)
		if seen[host] || !o.isForeign(host) {
			continue
		}
		seen[host] = true
		if o.Contact == "" {
			faults = append(faults, fmt.Errorf("%w for the owner of %s", ErrNoContact, host))
		}
		if o.Delay < PublicDelay {
			faults = append(faults, fmt.Errorf("%w for the public host %s: %s, but at least %s is required", ErrTooFast, host, max(o.Delay, 0), PublicDelay))
		}
	}
	return errors.Join(faults...)
}

// LacksContact reports whether a canonical URL is on a public host, whose owner must
// have a contact, and there is none.
func (o Options) LacksContact(canonical string) bool {
	return o.Contact == "" && o.isForeign(frontier.HostOf(canonical))
}

// isForeign reports whether a host is public and not the user's own.
func (o Options) isForeign(host string) bool { return !IsLocal(hostName(host)) && !o.owns(host) }

// owns reports whether a host, with or without its port, is the user's own.
func (o Options) owns(host string) bool {
	return slices.Contains(o.Own, host) || slices.Contains(o.Own, hostName(host))
}

func hostName(host string) string { return (&url.URL{Host: host}).Hostname() }

// IsLocal reports whether a host name, without a port, names this machine or a
// private network: localhost or a literal loopback or private address.
func IsLocal(host string) bool {
	if host == "localhost" || strings.HasSuffix(host, ".localhost") {
		return true
	}
	ip, err := netip.ParseAddr(host)
	return err == nil && (ip.IsLoopback() || ip.IsPrivate())
}

// UserAgent returns the User-Agent header: product token, version and contact.
func (o Options) UserAgent() string {
	o = o.withDefaults()
	agent := o.AgentToken + "/" + o.Version
	if o.Contact != "" {
		agent += " (+" + o.Contact + ")"
	}
	return agent
}

func (o Options) withDefaults() Options {
	setDefault(&o.AgentToken, "decorum")
	setDefault(&o.Version, "0.1")
	setDefault(&o.Delay, time.Second)
	setDefault(&o.MaxDelay, time.Minute)
	setDefault(&o.MaxWait, 10*o.MaxDelay)
	setDefault(&o.Timeout, 30*time.Second)
	setDefault(&o.MaxPageBytes, 10<<20)
	setDefault(&o.MaxRedirects, 10)
	setDefault(&o.MaxRetries, 3)
	setDefault(&o.MaxURLLength, frontier.MaxURLLength)
	setDefault(&o.RobotsMemory, 64<<20)
	setDefault(&o.BodyMemory, 64<<20)
	if o.KeepWire {
		setDefault(&o.BodyCost, wireCost)
	}
	setDefault(&o.BodyCost, bodyCost)
	setDefault(&o.IdleConnections, 256)
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
