package lint

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

// The codes of findings about the file as a whole.
const (
	CodeStatus      Code = "status"
	CodeRedirected  Code = "redirected"
	CodeContentType Code = "content-type"
	CodeBOM         Code = "bom"
	CodeUTF16       Code = "utf-16"
	CodeHTML        Code = "html"
	CodeNoRules     Code = "no-rules" // no line is one of a robots.txt: JSON or prose
	CodeTooLong     Code = "too-long"
)

// The codes of findings about how a line is written.
const (
	CodeNotUTF8         Code = "not-utf-8"
	CodeNUL             Code = "nul"
	CodeInvisible       Code = "invisible-character" // a zero-width or no-break space, for example
	CodeTemplate        Code = "template"            // a placeholder that was not filled in
	CodeFullWidthColon  Code = "full-width-colon"
	CodeMissingColon    Code = "missing-colon"
	CodeTwoFields       Code = "two-fields" // in one line
	CodeUnknownField    Code = "unknown-field"
	CodeMisspeltField   Code = "misspelt-field"
	CodeForeignField    Code = "foreign-field"
	CodeRuleBeforeGroup Code = "rule-before-group"
	CodeCommentInValue  Code = "comment-in-value"
)

// The codes of findings about what a line states.
const (
	CodeNoSlash       Code = "no-leading-slash"
	CodeSeveralPaths  Code = "several-paths" // in one rule
	CodeRegexp        Code = "regular-expression"
	CodeDollarInside  Code = "dollar-inside"
	CodePercent       Code = "lone-percent" // one that begins no escape
	CodeEscape        Code = "escape-not-normal"
	CodeAgent         Code = "agent-not-a-token"
	CodeSitemapURL    Code = "sitemap-url"
	CodeDelay         Code = "crawl-delay"
	CodeLongDelay     Code = "crawl-delay-long"
	CodeContentUsage  Code = "content-usage"
	CodeContentSignal Code = "content-signal"
)

// The codes of findings about groups and about rules among others.
const (
	CodeSiteClosed         Code = "site-closed" // everything is forbidden to everyone
	CodeDuplicateAgent     Code = "duplicate-agent"
	CodeDuplicateGroup     Code = "duplicate-group"
	CodeSplitGroup         Code = "split-group"
	CodeEmptyGroup         Code = "empty-group"
	CodeEmptyTrainingGroup Code = "empty-training-group"
	CodeDuplicateRule      Code = "duplicate-rule"
	CodeShadowedRule       Code = "shadowed-rule"
	CodeIdleAllow          Code = "allow-without-effect"
)

// An Edit tells what to do with the line of a finding.
type Edit string

// The edits.
const (
	EditNone    Edit = ""        // nothing; Fix, if there is one, is advice
	EditReplace Edit = "replace" // write Fix in its place
	EditDelete  Edit = "delete"  // take it away
)

// A Finding is something in a robots.txt that its author should look at.
type Finding struct {
	Code     Code
	Severity Severity
	Line     int    // 1-based; 0 means the file as a whole
	Message  string // what is wrong
	Fix      string // what to write or to do instead; may be empty
	Edit     Edit   // how Fix is applied
	Changes  bool   // Edit changes verdicts that the rule of the line decides
}

// deleteLine is the fix of an [EditDelete].
const deleteLine = "delete the line"
