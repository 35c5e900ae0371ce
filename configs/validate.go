package configs

import (
	"errors"
	"fmt"
	"net/netip"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/decorum-crawler/decorum/internal/escape"
)

var tokenForm = regexp.MustCompile(`^[A-Za-z0-9_-]{1,64}$`)

// maxExpressions bounds the expressions of a list, since each URL is matched with all.
const maxExpressions = 1000

// Validate returns all errors at once, joined, each with its key.
func (c Config) Validate() error {
	var faults []error
	check := func(ok bool, format string, args ...any) {
		if !ok {
			faults = append(faults, fmt.Errorf(format, args...))
		}
	}
	check(tokenForm.MatchString(c.AgentToken), "agent-token: %q is not made of at most 64 letters, digits, _ and -", c.AgentToken)
	check(utf8.ValidString(c.Contact) && !strings.ContainsFunc(c.Contact, escape.Unseen), "contact: %q contains control or invisible characters", c.Contact)
	check(!strings.ContainsAny(c.Contact, "()"), "contact: %q contains parentheses", c.Contact)
	for _, list := range []struct {
		key   string
		words []string
		known []string
	}{
		{"scope", []string{c.Scope}, []string{"host", "domain", "prefix", "any"}},
		{"discover", c.Discover, []string{"sitemap", "links"}},
		{"fail-on", c.FailOn, []string{"blocked", "errors", "partial"}},
		{"store", c.Store, []string{"pages", "warc"}},
		{"log-format", []string{c.LogFormat}, []string{"text", "json"}},
		{"progress", []string{c.Progress}, []string{"auto", "bar", "lines", "none"}},
	} {
		for _, word := range list.words {
			check(slices.Contains(list.known, word), "%s: %q is not one of %s", list.key, word, strings.Join(list.known, ", "))
		}
	}
	check(c.MaxDelay >= c.Delay, "max-delay: %s is less than delay: %s", c.MaxDelay, c.Delay)
	check(c.PerIPDelay >= 0 && c.PerIPDelay <= c.MaxDelay, "per-ip-delay: %s is not between 0 and max-delay: %s", c.PerIPDelay, c.MaxDelay)
	check(c.Timeout > 0, "timeout: must be greater than 0")
	check(c.ProgressInterval > 0, "progress-interval: must be greater than 0")
	check(c.MaxPageBytes > 0, "max-page-bytes: must be greater than 0")
	check(c.WARCBytes >= 64<<10, "warc-bytes: must be at least 64KiB")
	check(c.Workers >= 1 && c.Workers <= 1000, "workers: %d is not between 1 and 1000", c.Workers)
	check(c.MaxURLLength >= 16 && c.MaxURLLength <= 64<<10, "max-url-length: %d is not between 16 and 65536", c.MaxURLLength)
	for key, n := range map[string]int{
		"max-redirects": c.MaxRedirects, "max-retries": c.MaxRetries, "max-depth": c.MaxDepth, "max-pages": c.MaxPages,
		"max-pages-per-host": c.MaxPagesPerHost, "trap-budget": c.TrapBudget,
	} {
		check(n >= 0, "%s: %d is negative", key, n)
	}
	check(len(c.Include) <= maxExpressions && len(c.Exclude) <= maxExpressions, "include or exclude: more than %d expressions", maxExpressions)
	for _, expression := range slices.Concat(c.Include, c.Exclude) {
		_, err := regexp.Compile(expression)
		check(err == nil && len(expression) <= 4<<10, "include or exclude: %q is not an RE2 expression of at most 4 KiB", expression)
	}
	for _, network := range c.AllowNet {
		_, err := netip.ParsePrefix(network)
		check(err == nil || network == "loopback" || network == "private", "allow-net: %q is not loopback, private or a CIDR", network)
	}
	return errors.Join(faults...)
}
