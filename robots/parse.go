package robots

import (
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"
	"unsafe"
)

// MaxBytes is how much of a robots.txt counts (RFC 9309 §2.5): 500 KiB of
// decoded bytes, cut back to the last whole line.
const MaxBytes = 500 << 10

// maxDelay keeps an absurd Crawl-delay inside time.Duration.
const maxDelay = 100 * 365 * 24 * time.Hour

// maxLenient is how many octets of lenient patterns with stars a file may have.
// Each takes time for each octet of a path. Rules beyond it are strict.
const maxLenient = 16 << 10

// A Rule is one Allow or Disallow line with a value.
type Rule struct {
	Allow bool
	Line  int    // 1-based, counted by LF, CR LF or CR
	Value string // as written, without comment and surrounding blanks
}

// String returns the rule as it would be written: "Disallow: /private".
func (r Rule) String() string {
	if r.Allow {
		return "Allow: " + r.Value
	}
	return "Disallow: " + r.Value
}

// Pattern returns the value in the form in which it is compared with paths.
func (r Rule) Pattern() string { return normalizePattern(r.Value, r.Allow) }

// Octets returns the length that decides between rules that match: that of the
// pattern, in which a "%" that begins no escape counts as "%25" (RFC 9309 §2.2.2).
func (r Rule) Octets() int {
	pattern := r.Pattern()
	return len(pattern) + 2*lonePercents(pattern)
}

// Lenient reports whether the rule is a Disallow that also matches other
// spellings than its pattern; the package comment tells which.
func (r Rule) Lenient() bool { return !r.Allow && lenientFrom(r.Pattern()) >= 0 }

// A File is a parsed robots.txt. Use [Parse] to make one. It holds the text and
// some 20 bytes for each rule.
type File struct {
	text      string // without byte order mark
	normal    []byte // normal forms that are not as written
	rules     []rule // in file order
	sections  []section
	delays    []delay
	sitemaps  []sitemap
	extended  []extended
	truncated bool

	tokens struct { // that the User-agent lines name
		sync.Once

		set map[string]struct{}
	}

	mu         sync.Mutex
	groups     map[string]*Group // by token, made at the first request
	extensions map[extensionKey][]Extension
}

// rule is a Rule as places in the text, since files have thousands.
type rule struct {
	line        uint32 // shifted, above the bits
	start, size uint32 // of the value in text
	from, count uint32 // of its normal form in normal; count 0: as written
}

const (
	bitAllow   = 1
	bitLenient = 2
	bitPercent = 4 // a "%" in the pattern begins no escape
	bits       = 3
)

func (r rule) allow() bool   { return r.line&bitAllow != 0 }
func (r rule) lenient() bool { return r.line&bitLenient != 0 }
func (r rule) number() int   { return int(r.line >> bits) }

// section is a list of agents with the rules that follow it.
type section struct {
	agents      []agent
	first, last int  // in rules, last excluded
	ruled       bool // it has a rule, perhaps one without a value
}

// agent is a User-agent line.
type agent struct {
	token string // in lower case, "*" for all, "" if the value names none
	line  int
}

func (s section) names(token string) bool {
	return slices.ContainsFunc(s.agents, func(a agent) bool { return a.token == token })
}

type delay struct {
	agents []string
	value  time.Duration
}

// pattern returns the normal form of a rule's value.
func (f *File) pattern(r rule) string {
	if r.count == 0 {
		return f.text[r.start : r.start+r.size]
	}
	return unsafe.String(&f.normal[r.from], r.count)
}

// rule returns a rule in its exported form.
func (f *File) rule(r rule) Rule {
	return Rule{Allow: r.allow(), Line: r.number(), Value: f.text[r.start : r.start+r.size]}
}

// Parse reads a robots.txt. It never fails: what cannot be read is skipped,
// line by line (RFC 9309 §2.3.1.5). Bytes beyond [MaxBytes] do not count. The
// bytes are copied.
func Parse(data []byte) *File {
	f := &File{groups: map[string]*Group{}, extensions: map[extensionKey][]Extension{}}
	f.truncated = len(data) > MaxBytes
	f.text = textOf(data[:cut(data)])
	f.rules = make([]rule, 0, min(strings.Count(f.text, "\n"), 1<<16))
	p := parser{file: f, seen: map[string]bool{}}
	eachLine(f.text, p.line)
	f.rules = slices.Clip(f.rules)
	f.normal = slices.Clip(f.normal)
	return f
}

// Truncated reports whether the file was longer than [MaxBytes].
func (f *File) Truncated() bool { return f.truncated }

type parser struct {
	file   *File
	number int             // of the current line
	listed []string        // agents that the next Crawl-delay or extension belongs to
	ruled  bool            // a rule has followed the list of agents
	paused bool            // a rule, Crawl-delay or extension has followed it
	seen   map[string]bool // values of Sitemap lines
	// lenient counts the octets of lenient patterns with stars.
	lenient int
}

// line reads the line from start to end.
func (p *parser) line(number, start, end int) {
	p.number = number
	field, from, to := splitLine(p.file.text, start, end)
	switch field {
	case fieldNone:
	case fieldUserAgent:
		p.userAgent(p.file.text[from:to])
	case fieldAllow, fieldDisallow:
		p.rule(field == fieldAllow, from, to)
	case fieldCrawlDelay:
		p.crawlDelay(p.file.text[from:to])
	case fieldSitemap:
		p.sitemap(p.file.text[from:to])
	default:
		p.extension(field, p.file.text[from:to])
	}
}

func (p *parser) userAgent(value string) {
	f := p.file
	if p.ruled || len(f.sections) == 0 {
		f.sections = append(f.sections, section{first: len(f.rules), last: len(f.rules)})
		p.ruled = false
	}
	if p.paused {
		p.listed, p.paused = nil, false
	}
	token := GroupToken(value)
	last := &f.sections[len(f.sections)-1]
	last.agents = append(last.agents, agent{token, p.number})
	p.listed = append(p.listed, token)
}

func (p *parser) rule(allow bool, from, to int) {
	f := p.file
	if len(f.sections) == 0 {
		return
	}
	p.ruled, p.paused = true, true
	f.sections[len(f.sections)-1].ruled = true
	if from == to {
		return
	}
	r := rule{line: uint32(p.number) << bits, start: uint32(from), size: uint32(to - from)}
	if allow {
		r.line |= bitAllow
	}
	value := f.text[from:to]
	normal, plain := scanPattern(value, allow)
	if !normal {
		r.from = uint32(len(f.normal))
		f.normal = append(f.normal, normalizePattern(value, allow)...)
		r.count = uint32(len(f.normal)) - r.from
	}
	if !allow && !plain {
		r.line |= p.disallowBits(f.pattern(r))
	}
	f.rules = append(f.rules, r)
	f.sections[len(f.sections)-1].last = len(f.rules)
}

// disallowBits returns the bits of a Disallow that tell how it is compared.
func (p *parser) disallowBits(pattern string) (set uint32) {
	if lonePercents(pattern) > 0 {
		set |= bitPercent
	}
	if lenientFrom(pattern) < 0 {
		return set
	}
	if strings.IndexByte(pattern, '*') >= 0 {
		p.lenient += len(pattern)
	}
	if p.lenient <= maxLenient {
		set |= bitLenient
	}
	return set
}

// crawlDelay belongs to the agents named since the last rule or Crawl-delay.
//
// Deviation: it does not end the list of agents for the rules that follow.
func (p *parser) crawlDelay(value string) {
	p.paused = true
	if seconds, ok := ParseDelay(value); ok && len(p.listed) > 0 {
		p.file.delays = append(p.file.delays, delay{agents: p.listed, value: seconds})
	}
}

// extension belongs to the agents named since the last rule, Crawl-delay or
// extension, and to nobody before the first of them.
func (p *parser) extension(field field, value string) {
	p.paused = true
	p.file.extended = append(p.file.extended, extended{field: field, agents: p.listed, value: value, line: p.number})
}

func (p *parser) sitemap(value string) {
	if value != "" && !p.seen[value] {
		p.seen[value] = true
		p.file.sitemaps = append(p.file.sitemaps, sitemap{value, p.number})
	}
}

// ParseDelay returns the value of a Crawl-delay line: digits with an optional
// fraction, in seconds. A value with a unit, a sign or an exponent is not a delay.
func ParseDelay(value string) (time.Duration, bool) {
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

// GroupToken returns the token that a User-agent line names, in lower case: the
// text before the first octet that a token cannot have. "*" counts if it is
// alone or followed by a blank. It is "" if the line names no crawler.
func GroupToken(value string) string {
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
// Deviation: digits are part of a token, like the letters, "_" and "-" of RFC
// 9309 §2.2.1, since real ones (MJ12bot) have them.
func Token(value string) string {
	end := 0
	for end < len(value) && (isAlnum(value[end]) || value[end] == '_' || value[end] == '-') {
		end++
	}
	return strings.ToLower(value[:end])
}
