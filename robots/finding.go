package robots

// A Severity tells how much a finding matters.
type Severity string

// The severities.
const (
	SeverityError   Severity = "error"   // the line does not do what it seems to
	SeverityWarning Severity = "warning" // it works, but probably not as intended
	SeverityInfo    Severity = "info"    // good to know
)

// A Code names a kind of finding. The values are stable.
type Code string

// The codes of findings.
const (
	CodeBOM                Code = "bom"
	CodeUTF16              Code = "utf-16"
	CodeNotUTF8            Code = "not-utf-8"
	CodeNUL                Code = "nul"
	CodeHTML               Code = "html"
	CodeTooLong            Code = "too-long"
	CodeMissingColon       Code = "missing-colon"
	CodeUnknownField       Code = "unknown-field"
	CodeMisspeltField      Code = "misspelt-field"
	CodeForeignField       Code = "foreign-field"
	CodeRuleBeforeGroup    Code = "rule-before-group"
	CodeNoSlash            Code = "no-leading-slash"
	CodeDollarInside       Code = "dollar-inside"
	CodeEscape             Code = "escape-not-normal"
	CodeCommentInValue     Code = "comment-in-value"
	CodeAgent              Code = "agent-not-a-token"
	CodeDuplicateAgent     Code = "duplicate-agent"
	CodeDuplicateGroup     Code = "duplicate-group"
	CodeSplitGroup         Code = "split-group"
	CodeEmptyGroup         Code = "empty-group"
	CodeEmptyTrainingGroup Code = "empty-training-group"
	CodeDuplicateRule      Code = "duplicate-rule"
	CodeShadowedRule       Code = "shadowed-rule"
	CodeIdleAllow          Code = "allow-without-effect"
	CodeSitemapURL         Code = "sitemap-url"
	CodeDelay              Code = "crawl-delay"
	CodeLongDelay          Code = "crawl-delay-long"
	CodeContentUsage       Code = "content-usage"
	CodeContentSignal      Code = "content-signal"
)

// A Finding is something in a robots.txt that its author should look at.
type Finding struct {
	Code     Code
	Severity Severity
	Line     int    // 1-based; 0 means the file as a whole
	Message  string // what is wrong
	Fix      string // what to write instead; empty if there is nothing to write
}
