package robots

import (
	"bytes"
	"cmp"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dunglas/httpsfv"
)

// longDelay is the Crawl-delay beyond which a site is hardly crawled.
const longDelay = time.Minute

// Lint returns what the author of a robots.txt should look at, by line. It reads
// lines exactly as [Parse] does. An empty result means that nothing was found;
// a file may still block more or less than its author wants, which
// [Group.Matches] shows. [Document.Lint] also judges how a file is served.
func Lint(data []byte) []Finding {
	l := &linter{}
	l.text(data)
	if len(data) > MaxBytes {
		l.tooLong(cutLine(data[:MaxBytes]))
	}
	l.sort()
	return l.findings
}

type linter struct {
	file     *File
	findings []Finding
	number   int  // of the current line
	sections int  // begun so far
	ruled    bool // a rule has followed the last User-agent line
	nul      bool // a NUL has been reported
	invalid  bool // a line that is not UTF-8 has been reported
}

func (l *linter) text(data []byte) {
	if !l.whole(data) {
		return
	}
	l.file = Parse(data)
	eachLine(l.file.text, l.line)
	l.groups()
	l.rules()
}

func (l *linter) sort() {
	slices.SortStableFunc(l.findings, func(a, b Finding) int { return cmp.Compare(a.Line, b.Line) })
}

func (l *linter) say(code Code, severity Severity, fix, format string, args ...any) {
	l.findings = append(l.findings, Finding{Code: code, Severity: severity, Line: l.number, Message: fmt.Sprintf(format, args...), Fix: fix})
}

// whole judges the file as bytes and reports whether its lines are worth
// reading.
func (l *linter) whole(data []byte) bool {
	switch {
	case isUTF16(data):
		l.say(CodeUTF16, SeverityError, "save the file as UTF-8", "the file is UTF-16, so crawlers find no rule in it")
		return false
	case isHTML(data):
		l.say(CodeHTML, SeverityError, "answer with the rules as text/plain, or with status 404", "the file is an HTML page, not a robots.txt")
		return len(Parse(data).sections) > 0
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		l.number = 1
		l.say(CodeBOM, SeverityWarning, "save the file without a byte order mark", "a byte order mark precedes the first line, which some crawlers then do not read")
	}
	return true
}

func isUTF16(data []byte) bool {
	if bytes.HasPrefix(data, []byte("\xff\xfe")) || bytes.HasPrefix(data, []byte("\xfe\xff")) {
		return true
	}
	head := data[:min(len(data), 512)]
	return len(head) >= 8 && bytes.Count(head, []byte{0})*5 > len(head)*2
}

func isHTML(data []byte) bool {
	head := strings.ToLower(string(bytes.TrimLeft(data[:min(len(data), 512)], "\ufeff \t\r\n")))
	for _, start := range []string{"<!doctype html", "<html", "<head", "<body", "<?xml", "<!--"} {
		if strings.HasPrefix(head, start) {
			return true
		}
	}
	return false
}

func (l *linter) line(number, start, end int) {
	l.number = number
	raw := l.file.text[start:end]
	l.octets(raw)
	written, _, _ := strings.Cut(raw, "#")
	written = strings.TrimFunc(written, func(r rune) bool { return r < utf8.RuneSelf && isBlank(byte(r)) })
	if written == "" {
		return
	}
	kind, from, to := splitLine(l.file.text, start, end)
	value := l.file.text[from:to]
	name, _, colon := strings.Cut(written, ":")
	if !colon {
		l.colonless(kind, written)
	} else {
		l.name(kind, strings.TrimSpace(name), value)
	}
	l.value(kind, value)
	if kind != fieldNone && to < end && l.file.text[to] == '#' {
		l.say(CodeCommentInValue, SeverityWarning, "write %23 for a # in a URL, or a blank before a comment",
			"the # begins a comment, so the value ends before it: %q", value)
	}
}

// octets reports octets that should not be in a line, once per file.
func (l *linter) octets(raw string) {
	if !l.nul && strings.IndexByte(raw, 0) >= 0 {
		l.nul = true
		l.say(CodeNUL, SeverityWarning, "delete it", "the line has a NUL octet; crawlers handle it differently")
	}
	if !l.invalid && !utf8.ValidString(raw) {
		l.invalid = true
		l.say(CodeNotUTF8, SeverityWarning, "save the file as UTF-8", "the line is not UTF-8, so its rule is compared with octets that no URL may have")
	}
}

func (l *linter) colonless(kind field, written string) {
	word, rest, _ := strings.Cut(strings.ReplaceAll(written, "\t", " "), " ")
	name := canonicalName(word)
	fix := "begin it with # if it is a comment"
	if name != "" && rest != "" {
		fix = name + ": " + strings.TrimSpace(rest)
	}
	if kind != fieldNone {
		l.say(CodeMissingColon, SeverityWarning, fix, "the colon is missing; decorum reads the line anyway, others do not")
		return
	}
	l.say(CodeMissingColon, SeverityError, fix, "the line has no colon, so it is ignored")
}

// name judges how the field is written.
func (l *linter) name(kind field, name, value string) {
	if kind != fieldNone {
		if right := canonicalName(name); !strings.EqualFold(right, name) {
			l.say(CodeMisspeltField, SeverityWarning, right+": "+value, "%q is misspelt; decorum reads it as %s, others may not", name, right)
		}
		return
	}
	if reader, ok := foreignFields[strings.ToLower(name)]; ok {
		l.say(CodeForeignField, SeverityInfo, "", "%s", reader)
		return
	}
	if right := canonicalName(name); right != "" {
		l.say(CodeMisspeltField, SeverityError, right+": "+value, "%q is not a field that crawlers know, so the line is ignored", name)
		return
	}
	l.say(CodeUnknownField, SeverityWarning, "", "%q is not a field that crawlers know, so the line is ignored", name)
}

// foreignFields are fields outside RFC 9309, with a message on who reads them.
var foreignFields = map[string]string{
	"noindex":      "Noindex in robots.txt has been ignored by all large search engines since 2019; use X-Robots-Tag or meta robots",
	"nofollow":     "Nofollow in robots.txt is ignored by all large search engines; use X-Robots-Tag or meta robots",
	"host":         "Host has been ignored by all large search engines since Yandex dropped it in 2018; use redirects and canonical links",
	"clean-param":  "only Yandex reads Clean-param",
	"request-rate": "only a few small crawlers read Request-rate; Crawl-delay is better known",
	"visit-time":   "only a few small crawlers read Visit-time",
	"comment":      "no crawler reads Comment; begin comments with #",
	"cache-delay":  "no crawler reads Cache-delay; Crawl-delay is better known",
}

func (l *linter) value(kind field, value string) {
	switch kind {
	case fieldUserAgent:
		l.userAgent(value)
	case fieldAllow, fieldDisallow:
		l.rule(kind, value)
	case fieldSitemap:
		l.sitemap(value)
	case fieldCrawlDelay:
		l.delay(value)
	case fieldContentUsage:
		l.contentUsage(value)
	case fieldContentSignal:
		l.contentSignal(value)
	case fieldNone, fieldLicense:
	}
}

func (l *linter) userAgent(value string) {
	if l.ruled || l.sections == 0 {
		l.sections++
		l.ruled = false
	}
	token := groupToken(value)
	switch {
	case value == "":
		l.say(CodeAgent, SeverityError, "User-agent: *", "the line names no crawler")
	case token == "" && value[0] == '*':
		l.say(CodeAgent, SeverityError, "User-agent: "+strings.Trim(value, "*"), "* means all crawlers only if it is alone, so %q names none", value)
	case token == "":
		l.say(CodeAgent, SeverityError, "write the crawler's product token, such as Googlebot", "%q does not begin with a letter, so it names no crawler", value)
	case token == "*" && value != "*", token != "*" && len(token) < len(value):
		l.say(CodeAgent, SeverityWarning, "User-agent: "+value[:len(token)], "only %q is compared with a crawler's name; the rest of %q is ignored", value[:len(token)], value)
	}
}

func (l *linter) rule(kind field, value string) {
	name := "Disallow"
	if kind == fieldAllow {
		name = "Allow"
	}
	if l.sections == 0 {
		l.say(CodeRuleBeforeGroup, SeverityError, "put a User-agent line above it", "%s precedes any User-agent line, so no crawler obeys it", name)
		return
	}
	l.ruled = true
	if value == "" {
		if kind == fieldAllow {
			l.say(CodeIdleAllow, SeverityInfo, "Allow: /", "an Allow without a path has no effect")
		}
		return
	}
	body := strings.TrimSuffix(value, "$")
	switch {
	case value[0] != '/' && value[0] != '*':
		l.say(CodeNoSlash, SeverityError, name+": "+pathOf(value), "%q begins with neither / nor *, so it matches no URL", value)
	case strings.Contains(body, "$"):
		l.say(CodeDollarInside, SeverityWarning, name+": "+strings.ReplaceAll(body, "$", "%24")+value[len(body):],
			"a $ means the end of the URL only as the last character; here it is an ordinary one")
	default:
		if normal := normalizePattern(value, kind == fieldAllow); normal != value {
			l.say(CodeEscape, SeverityInfo, name+": "+normal, "%q is compared in its normal form, %q", value, normal)
		}
	}
}

// pathOf returns a path for what was written in place of one.
func pathOf(value string) string {
	if u, err := url.Parse(value); err == nil && u.Scheme != "" && u.Host != "" {
		return u.RequestURI()
	}
	return "/" + value
}

func (l *linter) sitemap(value string) {
	if _, err := afterAuthority(value); err != nil {
		fix := "Sitemap: https://HOST/sitemap.xml, with your host"
		if strings.HasPrefix(value, "/") && !strings.HasPrefix(value, "//") {
			fix = "Sitemap: https://HOST" + value + ", with your host"
		}
		l.say(CodeSitemapURL, SeverityError, fix, "%q is not an absolute http or https URL, so the sitemap is not found", value)
		return
	}
	if u, err := url.Parse(value); err != nil || u.Host == "" || strings.ContainsAny(value, " \t") {
		l.say(CodeSitemapURL, SeverityError, "escape what a URL may not contain: a blank is %20", "%q is not a valid URL", value)
	}
}

func (l *linter) delay(value string) {
	if l.sections == 0 {
		l.say(CodeRuleBeforeGroup, SeverityError, "put a User-agent line above it", "Crawl-delay precedes any User-agent line, so no crawler obeys it")
		return
	}
	delay, ok := parseSeconds(value)
	switch {
	case !ok:
		l.say(CodeDelay, SeverityError, "Crawl-delay: 10", "%q is not a number of seconds, so the line is ignored", value)
	case delay > longDelay:
		l.say(CodeLongDelay, SeverityWarning, "Crawl-delay: 10", "at %s seconds per request a crawler fetches %d pages a day", value, int64(24*time.Hour/delay))
	}
}

// contentUsage checks an optional path and a dictionary (RFC 9651 §3.2).
func (l *linter) contentUsage(value string) {
	dictionary := value
	if strings.HasPrefix(value, "/") {
		_, dictionary, _ = strings.Cut(value, " ")
	}
	const fix = "Content-Usage: train-ai=n"
	parsed, err := httpsfv.UnmarshalDictionary([]string{strings.TrimSpace(dictionary)})
	if err != nil || len(parsed.Names()) == 0 {
		l.say(CodeContentUsage, SeverityError, fix, "%q is not a dictionary such as train-ai=n, so it states no preference", dictionary)
		return
	}
	if member, ok := parsed.Get("train-ai"); ok {
		item, _ := member.(httpsfv.Item)
		if token, _ := item.Value.(httpsfv.Token); token != "y" && token != "n" {
			l.say(CodeContentUsage, SeverityWarning, fix, "train-ai is neither y nor n, so it states no preference")
		}
	}
}

// contentSignal checks a list of name=yes and name=no.
func (l *linter) contentSignal(value string) {
	for part := range strings.SplitSeq(value, ",") {
		name, answer, ok := strings.Cut(strings.TrimSpace(part), "=")
		answer = strings.ToLower(strings.TrimSpace(answer))
		if !ok || strings.TrimSpace(name) == "" || strings.ContainsAny(strings.TrimSpace(name), " \t") || answer != "yes" && answer != "no" {
			l.say(CodeContentSignal, SeverityError, "Content-Signal: search=yes, ai-train=no", "%q is neither name=yes nor name=no", strings.TrimSpace(part))
			return
		}
	}
}
