package lint

import (
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// knownNames are the names of fields by the spellings that count as them.
var knownNames = [...]struct{ written, field string }{
	{"user-agent", robots.FieldUserAgent},
	{"useragent", robots.FieldUserAgent},
	{"user agent", robots.FieldUserAgent},
	{"disallow", robots.FieldDisallow},
	{"allow", robots.FieldAllow},
	{"sitemap", robots.FieldSitemap},
	{"site-map", robots.FieldSitemap},
	{"crawl-delay", robots.FieldCrawlDelay},
	{"content-usage", robots.FieldContentUsage},
	{"content-signal", robots.FieldContentSignal},
	{"license", robots.FieldLicense},
}

// foreignFields are fields outside RFC 9309, with a message on who reads them.
var foreignFields = map[string]string{
	"noindex":      "Noindex in robots.txt has been ignored by all large search engines since 2019; use X-Robots-Tag or meta robots",
	"nofollow":     "Nofollow in robots.txt is ignored by all large search engines; use X-Robots-Tag or meta robots",
	"noarchive":    "Noarchive in robots.txt is ignored by all large search engines; use X-Robots-Tag or meta robots",
	"nosnippet":    "Nosnippet in robots.txt is ignored by all large search engines; use X-Robots-Tag or meta robots",
	"host":         "Host has been ignored by all large search engines since Yandex dropped it in 2018; use redirects and canonical links",
	"clean-param":  "only Yandex reads Clean-param",
	"request-rate": "only a few small crawlers read Request-rate; Crawl-delay is better known",
	"crawl-rate":   "no crawler is known to read Crawl-rate; Crawl-delay is better known",
	"visit-time":   "only a few small crawlers read Visit-time",
	"comment":      "no crawler reads Comment; begin comments with #",
	"cache-delay":  "no crawler reads Cache-delay; Crawl-delay is better known",
	"llms-txt":     "LLMs-Txt is a proposal that few crawlers read",
	"llms":         "LLMs is a proposal that few crawlers read",
}

// foreign returns the message on a field outside RFC 9309, or "".
func foreign(name string) string {
	name = strings.ToLower(name)
	if strings.HasPrefix(name, "acap-") {
		return "ACAP was given up; no crawler reads its fields"
	}
	return foreignFields[name]
}

// exactField returns the field with a name, however it is capitalized, or "".
func exactField(name string) string {
	for _, known := range knownNames {
		if strings.EqualFold(name, known.written) {
			return known.field
		}
	}
	return ""
}

// nearestField returns the field with a name, even if it is slightly misspelt,
// and "" if no known name is near.
func nearestField(name string) string {
	if field := exactField(name); field != "" || len(name) > 20 {
		return field
	}
	best, least := "", 1+len(name)/4
	for _, known := range knownNames {
		if d := distance(strings.ToLower(name), known.written); d <= least {
			best, least = known.field, d-1
		}
	}
	return best
}

// distance returns the number of edits between two short words.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			replaced := diagonal
			if a[i] != b[j] {
				replaced++
			}
			diagonal, row[j+1] = row[j+1], min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
