package audit

// A Code names a kind of finding. The values are stable.
type Code string

// The codes of findings.
const (
	CodeBlocked            Code = "blocked"             // for one agent
	CodeBlockedForAll      Code = "blocked-for-all"     // for every audited agent
	CodeSitemapBlocked     Code = "sitemap-blocked"     // robots.txt forbids the sitemap, to decorum or to an agent
	CodeSitemapUnreachable Code = "sitemap-unreachable" // no answer, or not 200
	CodeNotASitemap        Code = "not-a-sitemap"
	CodeSitemapInvalid     Code = "sitemap-invalid" // read, but with problems
	CodeRobotsUnreachable  Code = "robots-unreachable"
	CodeOtherHost          Code = "other-host"
	CodeNonCanonical       Code = "non-canonical"
	CodeDuplicate          Code = "duplicate"
	CodeSchemeMix          Code = "scheme-mix"
	CodeTooLarge           Code = "too-large"
	CodeLastModFuture      Code = "lastmod-future"
	CodeLastModAllSame     Code = "lastmod-all-same"
	CodeNoSitemap          Code = "no-sitemap"
	CodeSitemapNotNamed    Code = "sitemap-not-named"
	CodeSitemapRelative    Code = "sitemap-relative" // robots.txt names it by a relative URL
	CodeTrainingSplit      Code = "training-split"
	CodeOwn                Code = "own" // sitemaps of a host are read as its owner
)

// The codes of findings that only the pages themselves show.
const (
	CodePageStatus    Code = "page-status"
	CodePageRedirect  Code = "page-redirected"
	CodePageNoIndex   Code = "page-noindex"
	CodePageCanonical Code = "page-canonical-elsewhere"
	CodePageUnfetched Code = "page-not-fetched"
	CodeOrphan        Code = "orphan"  // in a sitemap, but no link of the crawl leads to it
	CodeMissing       Code = "missing" // found by links, indexable, and in no sitemap
)

// A Severity tells how much a finding matters.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"
	SeverityWarning Severity = "warning"
	SeverityInfo    Severity = "info"
)

// severities by code; other codes are warnings.
var severities = map[Code]Severity{
	CodeBlocked: SeverityError, CodeBlockedForAll: SeverityError, CodeSitemapBlocked: SeverityError,
	CodeSitemapUnreachable: SeverityError, CodeNotASitemap: SeverityError, CodeRobotsUnreachable: SeverityError,
	CodeTooLarge: SeverityError, CodePageStatus: SeverityError,
	CodeLastModAllSame: SeverityInfo, CodeSitemapNotNamed: SeverityInfo, CodeTrainingSplit: SeverityInfo, CodeOwn: SeverityInfo,
}

// SeverityOf returns the severity of a kind of finding.
func SeverityOf(code Code) Severity {
	if s, ok := severities[code]; ok {
		return s
	}
	return SeverityWarning
}

// A Finding is a decorum.finding/1 object. Fields that do not apply are empty or
// zero.
type Finding struct {
	Schema      string   `json:"schema"`
	Code        Code     `json:"code"`
	Severity    Severity `json:"severity"`
	URL         string   `json:"url"`
	Agent       string   `json:"agent"`
	Rule        string   `json:"rule"` // "Disallow: /x"
	Line        int      `json:"line"` // of robots.txt
	RobotsURL   string   `json:"robots_url"`
	Sitemap     string   `json:"sitemap"` // URL of the file
	SitemapLine int      `json:"sitemap_line"`
	Message     string   `json:"message"`
}

// Blocks reports whether the finding is a URL that is blocked for an agent.
func (f Finding) Blocks() bool { return f.Code == CodeBlocked || f.Code == CodeBlockedForAll }
