package lint

import (
	"net/url"
	"strings"
	"time"

	"github.com/dunglas/httpsfv"

	"github.com/decorum-crawler/decorum/robots"
)

// longDelay is the Crawl-delay beyond which a site is hardly crawled.
const longDelay = time.Minute

func (l *linter) sitemap(value string) {
	if _, err := robots.Target(value); err != nil {
		l.relativeSitemap(value)
		return
	}
	if u, err := url.Parse(value); err != nil || u.Host == "" || strings.ContainsAny(value, " \t") {
		l.say(CodeSitemapURL, SeverityError, "escape what a URL may not contain: a blank is %20", "%q is not a valid URL", value)
	}
}

func (l *linter) relativeSitemap(value string) {
	reference, err := url.Parse(value)
	if value == "" || err != nil || reference.Scheme != "" || strings.ContainsAny(value, " \t<>\"") {
		l.say(CodeSitemapURL, SeverityError, "Sitemap: https://HOST/sitemap.xml, with your host", "%q is not an absolute http or https URL, so the sitemap is not found", value)
		return
	}
	l.say(CodeSitemapURL, SeverityError, "", "%q is not an absolute URL; decorum reads it as one of this site, but most crawlers do not find the sitemap", value)
	switch {
	case strings.HasPrefix(value, "www."):
		l.last().Fix = "Sitemap: https://" + value + ", if that is its address"
	case l.base != nil:
		l.replace(robots.FieldSitemap, l.base.ResolveReference(reference).String())
	case strings.HasPrefix(value, "//"):
		l.replace(robots.FieldSitemap, "https:"+value)
	default:
		l.last().Fix = "Sitemap: https://HOST/" + strings.TrimPrefix(value, "/") + ", with your host"
	}
}

func (l *linter) delay(at *line) {
	if at.section == nil {
		l.say(CodeRuleBeforeGroup, SeverityError, "put a User-agent line above it", "Crawl-delay precedes any User-agent line, so no crawler obeys it")
		return
	}
	delay, ok := robots.ParseDelay(at.Value)
	switch {
	case !ok:
		l.say(CodeDelay, SeverityError, "Crawl-delay: 10", "%q is not a number of seconds, so the line is ignored", at.Value)
	case delay > longDelay:
		l.say(CodeLongDelay, SeverityWarning, "Crawl-delay: 10", "at %s seconds per request a crawler fetches %d pages a day", at.Value, int64(24*time.Hour/delay))
	}
}

// contentUsage checks an optional path and a dictionary (RFC 9651 §3.2).
func (l *linter) contentUsage(value string) {
	path, dictionary := "", value
	if strings.HasPrefix(value, "/") {
		path, dictionary, _ = strings.Cut(value, " ")
	}
	const advice = "write preferences such as train-ai=n, with a comma between two"
	parsed, err := httpsfv.UnmarshalDictionary([]string{strings.TrimSpace(dictionary)})
	if err != nil || len(parsed.Names()) == 0 {
		l.say(CodeContentUsage, SeverityError, advice, "%q is not a dictionary such as train-ai=n, so it states no preference", dictionary)
		l.usage(path, dictionary)
		return
	}
	if member, ok := parsed.Get("train-ai"); ok {
		item, _ := member.(httpsfv.Item)
		if token, _ := item.Value.(httpsfv.Token); token != "y" && token != "n" {
			l.say(CodeContentUsage, SeverityWarning, advice, "train-ai is neither y nor n, so it states no preference")
			l.usage(path, dictionary)
		}
	}
}

// usage offers the preferences of a dictionary in the form that they should
// have, if each is a name with y or n.
func (l *linter) usage(path, dictionary string) {
	parts := strings.FieldsFunc(strings.ToLower(dictionary), func(r rune) bool { return r == ',' || r == ';' || r == ' ' || r == '\t' })
	for i, part := range parts {
		name, answer, _ := strings.Cut(part, "=")
		answer = strings.Trim(answer, `"`)
		if strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-") != "" || answer != "y" && answer != "n" {
			return
		}
		parts[i] = name + "=" + answer
	}
	if len(parts) > 0 {
		l.last().Fix = robots.FieldContentUsage + ": " + strings.TrimLeft(path+" "+strings.Join(parts, ", "), " ")
	}
}

// contentSignal checks a list of name=yes and name=no.
func (l *linter) contentSignal(value string) {
	for part := range strings.SplitSeq(value, ",") {
		name, answer, ok := strings.Cut(strings.TrimSpace(part), "=")
		answer = strings.ToLower(strings.TrimSpace(answer))
		if !ok || strings.TrimSpace(name) == "" || strings.ContainsAny(strings.TrimSpace(name), " \t") || answer != "yes" && answer != "no" {
			l.say(CodeContentSignal, SeverityError, "write signals such as search=yes, with a comma between two", "%q is neither name=yes nor name=no", strings.TrimSpace(part))
			return
		}
	}
}
