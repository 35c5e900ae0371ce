package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
)

// settings are the flags that correspond to keys of the configuration.
type settings struct {
	file    string
	quiet   bool
	verbose int
	flags   *pflag.FlagSet
}

// usages are the help texts of the keys that are flags.
var usages = map[string]string{
	"agent-token":        "product token, used in robots.txt and User-Agent alike",
	"contact":            "URL or mail address for site owners, sent in User-Agent",
	"scope":              "how far from the seeds to crawl: host, domain, prefix or any",
	"include":            "crawl only URLs that match this expression (RE2); may be repeated",
	"exclude":            "skip URLs that match this expression (RE2); may be repeated",
	"discover":           "where to find URLs (default sitemap,links)",
	"delay":              "delay between two requests to a host",
	"max-delay":          "maximum delay that back-off adds",
	"per-ip-delay":       "delay between two requests to an IP address, for hosts that share it; 0 means none",
	"workers":            "maximum parallel requests, each to a different host",
	"timeout":            "timeout per request",
	"max-page-bytes":     "maximum decoded size of a page; the rest is cut off",
	"max-redirects":      "maximum redirects in a chain",
	"max-retries":        "retries per URL",
	"max-url-length":     "maximum length of a URL in bytes",
	"max-depth":          "maximum number of links from a seed or sitemap",
	"trap-budget":        "pages without new text that a pattern of URLs may have before it is skipped as a trap",
	"no-trap-detection":  "do not look for traps: calendars, facets and other parts of a site without end",
	"max-pages":          "maximum pages per run; 0 means no limit",
	"max-pages-per-host": "maximum pages per host in all runs; other URLs are skipped; 0 means no limit",
	"max-time":           "maximum time per run; 0 means no limit",
	"max-bytes":          "maximum decoded size of all pages of a run; 0 means no limit",
	"min-free-disk":      "stop when free disk space falls below this",
	"allow-net":          "permit non-public addresses: loopback, private or CIDRs",
	"own":                "hosts you own; removes the minimum delay",
	"fail-on":            "fail on blocked or errors (exit 1), or on partial (exit 6)",
	"store":              "what to keep: pages, and warc for an archive of all requests and responses (default pages)",
	"warc-bytes":         "start a new archive file at this size",
	"log-format":         "log format on standard error: text or json",
	"progress":           "progress display: auto, bar, lines or none",
	"progress-interval":  "time between two lines of progress",
}

// requestKeys are the flags of every command that sends requests.
var requestKeys = []string{"agent-token", "contact", "delay", "max-delay", "timeout", "allow-net", "own"}

// addSettings adds the flags of these keys of the configuration to a command, or
// those of all keys if none is given.
func addSettings(command *cobra.Command, keys ...string) *settings {
	s := &settings{flags: command.Flags()}
	s.flags.SortFlags = false
	s.flags.StringVar(&s.file, "config", "", "settings file (default ./decorum.yaml if present)")
	s.flags.BoolVarP(&s.quiet, "quiet", "q", false, "print errors only")
	s.flags.CountVarP(&s.verbose, "verbose", "v", "more output; -vv logs every decision")
	defaults, _ := configs.Encode(configs.Default())
	shown := map[string]string{}
	for line := range strings.Lines(string(defaults)) {
		key, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
		shown[key] = strings.Trim(value, `"[]`)
	}
	for _, key := range configs.Keys() {
		usage, ok := usages[key]
		if ok && (len(keys) == 0 || slices.Contains(keys, key)) {
			s.flags.Var(&settingValue{form: configs.Form(key), shown: shown[key]}, key, usage)
			if configs.Form(key) == formBool {
				s.flags.Lookup(key).NoOptDefVal = "true"
			}
		}
	}
	return s
}

// formBool is the form of keys whose flag needs no value.
const formBool = "BOOL"

// settingValue is the value of a flag that sets a key of the configuration. It
// keeps the text, which the configuration parses, so that errors in the file, the
// environment and flags read alike.
type settingValue struct {
	form   string // name of the value in help texts
	shown  string // default in help texts
	values []string
}

// Set adds a value. The last one counts for keys that take one value.
func (v *settingValue) Set(text string) error {
	if v.form == "LIST" {
		v.values = append(v.values, strings.Split(text, ",")...)
	} else {
		v.values = append(v.values, text)
	}
	return nil
}

// String returns the default; only help texts call it.
func (v *settingValue) String() string { return v.shown }

// Type returns the name of the value in help texts.
func (v *settingValue) Type() string {
	if v.form == formBool {
		return "bool" // which help texts do not show
	}
	return v.form
}

// merge returns the settings in effect: flags override the environment, which
// overrides the file, which overrides base.
func (s *settings) merge(env environment, base configs.Config) (configs.Config, error) {
	c := base
	if err := s.load(&c); err != nil {
		return c, err
	}
	if err := configs.ApplyEnv(env.getenv, &c); err != nil {
		return c, usageError(err, "correct the environment variable")
	}
	var faults []error
	s.flags.Visit(func(flag *pflag.Flag) {
		value, ok := flag.Value.(*settingValue)
		if !ok {
			return
		}
		if err := configs.Set(&c, flag.Name, value.values); err != nil {
			faults = append(faults, fmt.Errorf("--%w", err))
		}
	})
	faults = append(faults, c.Validate())
	if err := errors.Join(faults...); err != nil {
		return c, usageError(err, "see decorum help crawl, or decorum config show --reference")
	}
	return c, nil
}

func (s *settings) load(c *configs.Config) error {
	name := s.file
	if name == "" {
		name = "decorum.yaml"
	}
	data, err := readInput(name)
	if errors.Is(err, fs.ErrNotExist) && s.file == "" {
		return nil
	}
	if err != nil {
		return usageError(fmt.Errorf("read settings: %w", err), "name a readable file with --config")
	}
	return configs.Load(name, data, c)
}

// fetchOptions returns the options of a client for settings. Waits of more than a
// few seconds are reported on standard error.
func fetchOptions(env environment, c configs.Config, seeds []string) fetch.Options {
	o := fetch.Options{
		AgentToken: c.AgentToken, Version: version, Contact: c.Contact, Own: c.Own,
		Delay: orNone(time.Duration(c.Delay)), MaxDelay: time.Duration(c.MaxDelay), PerIPDelay: time.Duration(c.PerIPDelay), Timeout: time.Duration(c.Timeout),
		MaxPageBytes: int64(c.MaxPageBytes), MaxRedirects: orNone(c.MaxRedirects), MaxRetries: orNone(c.MaxRetries),
		MaxURLLength: c.MaxURLLength, Waiting: newWaits(env.stderr).begin,
	}
	_, o.IdleConnections = fitFiles(fileLimit(), c.Workers)
	for _, network := range c.AllowNet {
		switch network {
		case "loopback":
			o.Allow.Loopback = true
		case "private":
			o.Allow.Private = true
		default:
			if prefix, err := netip.ParsePrefix(network); err == nil {
				o.Allow.Prefixes = append(o.Allow.Prefixes, prefix)
			}
		}
	}
	for _, seed := range seeds {
		if u, err := url.Parse(seed); err == nil && fetch.IsLocal(u.Hostname()) {
			o.Allow.Hosts = append(o.Allow.Hosts, hostPort(u))
		}
	}
	return o
}

// queueOptions returns the options of the queue of a crawl. The run ends when every
// host that is left wants a wait of more than ten times max-delay.
func queueOptions(c configs.Config) frontier.Options {
	return frontier.Options{Pause: time.Duration(c.Delay), Patience: 10 * time.Duration(c.MaxDelay)}
}

// newClient returns the client of a command that sends few requests. It gives up
// if a host asks for a wait longer than max-delay.
func newClient(env environment, c configs.Config, seeds ...string) *fetch.Client {
	o := fetchOptions(env, c, seeds)
	o.MaxWait = o.MaxDelay
	return fetch.New(o)
}

// crawlOptions returns the options of a crawl for settings.
func crawlOptions(env environment, c configs.Config, seeds []string) crawler.Options {
	return crawler.Options{
		Fetch: fetchOptions(env, c, seeds),
		Links: slices.Contains(c.Discover, "links"), Sitemaps: slices.Contains(c.Discover, "sitemap"),
		Workers: c.Workers, MaxDepth: orNone(c.MaxDepth),
		TrapBudget: c.TrapBudget, NoTraps: c.NoTrapDetection,
		MaxPages: int64(c.MaxPages), MaxPagesPerHost: int64(c.MaxPagesPerHost), MaxTime: time.Duration(c.MaxTime), MaxBytes: int64(c.MaxBytes),
	}
}

// orNone turns 0, which means none in settings, into what means none in options.
func orNone[T int | time.Duration](n T) T {
	if n == 0 {
		return -1
	}
	return n
}

func hostPort(u *url.URL) string {
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[u.Scheme]
	}
	if strings.Contains(u.Hostname(), ":") {
		return "[" + u.Hostname() + "]:" + port
	}
	return u.Hostname() + ":" + port
}

// checkManners refuses to crawl public hosts without a contact, or with a delay
// that only the owner of a host may choose.
func checkManners(env environment, c configs.Config, seeds []string) error {
	for _, seed := range seeds {
		err := fetchOptions(env, c, nil).Validate(seed)
		host := frontier.HostOf(seed)
		switch {
		case errors.Is(err, fetch.ErrNoContact):
			return usageError(fmt.Errorf("no contact for the owner of %s", host),
				"add --contact with a URL or mail address; it is sent in the User-Agent header")
		case errors.Is(err, fetch.ErrTooFast):
			name, _, _ := strings.Cut(host, ":")
			return usageError(fmt.Errorf("delay %s is too short for the public host %s", c.Delay, host),
				"use at least 100ms, or add --own "+name+" if the site is yours")
		}
	}
	return nil
}
