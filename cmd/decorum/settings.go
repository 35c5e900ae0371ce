package main

import (
	"errors"
	"fmt"
	"io/fs"
	"net/netip"
	"net/url"
	"os"
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

// settings are the flags that are keys of the configuration too.
type settings struct {
	file    string
	quiet   bool
	verbose int
	flags   *pflag.FlagSet
}

// usages are the help texts of the keys that are flags.
var usages = map[string]string{
	"agent-token":       "product token, used in robots.txt and User-Agent alike",
	"contact":           "URL or mail address for site owners, sent in User-Agent",
	"scope":             "how far from the seeds to crawl: host, domain, prefix or any",
	"include":           "crawl only URLs that match this expression (RE2); may be repeated",
	"exclude":           "skip URLs that match this expression (RE2); may be repeated",
	"discover":          "where to find URLs (default sitemap,links)",
	"delay":             "delay between two requests to a host",
	"max-delay":         "maximum delay that back-off adds",
	"workers":           "maximum parallel requests, each to a different host",
	"timeout":           "timeout per request",
	"max-page-bytes":    "maximum decoded size of a page; the rest is cut off",
	"max-redirects":     "maximum redirects in a chain",
	"max-retries":       "retries per URL",
	"max-url-length":    "maximum length of a URL in bytes",
	"max-depth":         "maximum number of links from a seed or sitemap",
	"max-pages":         "maximum pages per run; 0 means no limit",
	"max-time":          "maximum time per run; 0 means no limit",
	"max-bytes":         "maximum decoded size of all pages of a run; 0 means no limit",
	"min-free-disk":     "stop when free disk space falls below this",
	"allow-net":         "permit non-public addresses: loopback, private or CIDRs",
	"own":               "hosts you own; removes the minimum delay",
	"fail-on":           "fail on blocked or errors (exit 1), or on partial (exit 6)",
	"store":             "what to keep: pages, and warc for an archive of all requests and responses (default pages)",
	"warc-bytes":        "start a new archive file at this size",
	"log-format":        "log format on standard error: text or json",
	"progress":          "progress display: auto, bar, lines or none",
	"progress-interval": "time between two lines of progress",
}

// requestKeys are the flags of every command that sends requests.
var requestKeys = []string{"agent-token", "contact", "delay", "max-delay", "timeout", "allow-net", "own"}

// addSettings gives a command the flags of the configuration: these keys, or
// all when none are named.
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
		}
	}
	return s
}

// settingValue is a flag that is a key of the configuration. It keeps text; the
// configuration reads it, so that file, environment and flag fail alike.
type settingValue struct {
	form   string // what the help says it takes
	shown  string // the default, for the help
	values []string
}

// Set adds a value; flags that take one keep the last.
func (v *settingValue) Set(text string) error {
	if v.form == "LIST" {
		v.values = append(v.values, strings.Split(text, ",")...)
	} else {
		v.values = append(v.values, text)
	}
	return nil
}

// String gives the default, which is all that a help asks for.
func (v *settingValue) String() string { return v.shown }

// Type gives what the flag takes.
func (v *settingValue) Type() string { return v.form }

// merge gives the settings: flag over environment over file over default. base
// takes the place of the defaults.
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
	data, err := os.ReadFile(name)
	if errors.Is(err, fs.ErrNotExist) && s.file == "" {
		return nil
	}
	if err != nil {
		return usageError(fmt.Errorf("read settings: %w", err), "name a readable file with --config")
	}
	return configs.Load(name, data, c)
}

// fetchOptions turns settings into those of a client. Requests that wait for a
// host for more than a few seconds say so on standard error.
func fetchOptions(env environment, c configs.Config, seeds []string) fetch.Options {
	o := fetch.Options{
		AgentToken: c.AgentToken, Version: version, Contact: c.Contact, Own: c.Own,
		Delay: orNone(time.Duration(c.Delay)), MaxDelay: time.Duration(c.MaxDelay), Timeout: time.Duration(c.Timeout),
		MaxPageBytes: int64(c.MaxPageBytes), MaxRedirects: orNone(c.MaxRedirects), MaxRetries: orNone(c.MaxRetries),
		MaxURLLength: c.MaxURLLength, Waiting: newWaits(env.stderr).begin,
	}
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

// newClient makes the client of a command that asks single questions. It gives
// up where a host asks for a wait longer than the largest delay.
func newClient(env environment, c configs.Config, seeds ...string) *fetch.Client {
	o := fetchOptions(env, c, seeds)
	o.MaxWait = o.MaxDelay
	return fetch.New(o)
}

// crawlOptions turns settings into the options of a crawl.
func crawlOptions(env environment, c configs.Config, seeds []string) crawler.Options {
	return crawler.Options{
		Fetch: fetchOptions(env, c, seeds),
		Links: slices.Contains(c.Discover, "links"), Sitemaps: slices.Contains(c.Discover, "sitemap"),
		Workers: c.Workers, MaxDepth: orNone(c.MaxDepth),
		MaxPages: int64(c.MaxPages), MaxTime: time.Duration(c.MaxTime), MaxBytes: int64(c.MaxBytes),
	}
}

// orNone turns 0, which means none here, into what it is for the crawler.
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

// checkManners refuses a crawl of public hosts without a contact, or at a pace
// that only an owner may choose.
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
