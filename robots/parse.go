package robots

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
)

// MaxBytes is how much of a robots.txt counts (RFC 9309 §2.5): 500 KiB of
// decoded bytes, cut back to the last whole line.
const MaxBytes = 500 << 10

// maxDelay keeps an absurd Crawl-delay inside time.Duration.
const maxDelay = 100 * 365 * 24 * time.Hour

// A Rule is one Allow or Disallow line with a value.
type Rule struct {
	Allow bool
	Line  int    // 1-based, counted by LF, CR LF or CR
	Value string // as written, without comment and surrounding blanks

	pattern string // in normal form
}

// String gives the rule as it would be written: "Disallow: /private".
func (r Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Value
	}
	return "Disallow: " + r.Value
}

// A File is a parsed robots.txt. Use [Parse] to make one.
type File struct {
	sections  []section
	delays    []delay
	sitemaps  []string
	truncated bool

	mu     sync.Mutex
	groups map[string]*Group // by token, made when first asked for
}

// section is a list of agents with the rules that follow it.
type section struct {
	agents []string // tokens in lower case, "*" for all
	rules  []Rule
}

type delay struct {
	agents []string
	value  time.Duration
}

// Parse reads a robots.txt. It never fails: what cannot be read is passed over,
// line by line (RFC 9309 §2.3.1.5). Bytes beyond [MaxBytes] do not count. The
// bytes are copied.
func Parse(data []byte) *File {
	p := parser{file: &File{groups: map[string]*Group{}}}
	if len(data) > MaxBytes {
		data = cutLine(data[:MaxBytes])
		p.file.truncated = true
	}
	text := strings.TrimPrefix(string(data), "\ufeff")
	number := 0
	for text != "" {
		var line string
		line, text, _ = strings.Cut(text, "\n")
		line = strings.TrimSuffix(line, "\r")
		for bare := true; bare; {
			var current string
			current, line, bare = strings.Cut(line, "\r")
			number++
			p.line(current, number)
		}
	}
	return p.file
}

// Truncated reports whether the file was longer than [MaxBytes].
func (f *File) Truncated() bool { return f.truncated }

// Sitemaps gives the absolute URLs of the Sitemap lines, in order, each once.
func (f *File) Sitemaps() []string { return slices.Clone(f.sitemaps) }

func cutLine(data []byte) []byte {
	for i := len(data); i > 0; i-- {
		if data[i-1] == '\n' || data[i-1] == '\r' {
			return data[:i]
		}
	}
	return nil
}

type parser struct {
	file    *File
	delayed []string // agents that the next Crawl-delay belongs to
	ruled   bool     // a rule has followed the list of agents
	paused  bool     // a rule or a Crawl-delay has followed it
}

func (p *parser) line(text string, number int) {
	field, value := splitLine(text)
	switch field {
	case fieldUserAgent:
		p.userAgent(value)
	case fieldAllow, fieldDisallow:
		p.rule(field == fieldAllow, value, number)
	case fieldCrawlDelay:
		p.crawlDelay(value)
	case fieldSitemap:
		p.sitemap(value)
	}
}

func (p *parser) userAgent(value string) {
	sections := p.file.sections
	if p.ruled || len(sections) == 0 {
		sections = append(sections, section{})
		p.file.sections, p.ruled = sections, false
	}
	if p.paused {
		p.delayed, p.paused = nil, false
	}
	agent := groupToken(value)
	last := &sections[len(sections)-1]
	last.agents = append(last.agents, agent)
	p.delayed = append(p.delayed, agent)
}

func (p *parser) rule(allow bool, value string, line int) {
	sections := p.file.sections
	if len(sections) == 0 {
		return
	}
	p.ruled, p.paused = true, true
	if value == "" {
		return
	}
	last := &sections[len(sections)-1]
	last.rules = append(last.rules, Rule{Allow: allow, Line: line, Value: value, pattern: normalizePattern(value)})
}

// crawlDelay belongs to the agents named since the last rule or Crawl-delay.
//
// Deviation: it does not end the list of agents for the rules that follow.
func (p *parser) crawlDelay(value string) {
	p.paused = true
	if seconds, ok := parseSeconds(value); ok && len(p.delayed) > 0 {
		p.file.delays = append(p.file.delays, delay{agents: p.delayed, value: seconds})
	}
}

func (p *parser) sitemap(value string) {
	if _, err := afterAuthority(value); err != nil || slices.Contains(p.file.sitemaps, value) {
		return
	}
	p.file.sitemaps = append(p.file.sitemaps, value)
}

// parseSeconds reads digits with an optional fraction. A unit, a sign, an
// exponent or a number that is not finite is no delay.
func parseSeconds(value string) (time.Duration, bool) {
	if value == "" || strings.Trim(value, "0123456789.") != "" {
		return 0, false
	}
	seconds, err := strconv.ParseFloat(value, 64)
	if err != nil {
		return 0, false
	}
	if seconds > maxDelay.Seconds() {
		return maxDelay, true
	}
	return time.Duration(seconds * float64(time.Second)), true
}

// groupToken gives the token that a User-agent line names, in lower case: what
// stands before the first octet that cannot be in one. "*" counts alone or
// before a blank.
func groupToken(value string) string {
	if rest, ok := strings.CutPrefix(value, "*"); ok {
		if rest == "" || rest[0] == ' ' || rest[0] == '\t' {
			return "*"
		}
		return ""
	}
	return Token(value)
}

// Token cuts a User-Agent value down to its product token, in lower case.
//
// Deviation: digits belong to a token, beside the letters, "_" and "-" of RFC
// 9309 §2.2.1, since real ones (MJ12bot) have them.
func Token(value string) string {
	end := 0
	for end < len(value) && (isAlnum(value[end]) || value[end] == '_' || value[end] == '-') {
		end++
	}
	return strings.ToLower(value[:end])
}
