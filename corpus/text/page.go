package text

import "github.com/decorum-crawler/decorum/crawler/content"

// Page is a page as it was received. The pool does not change it.
type Page struct {
	URL         string // where it was found; may be empty
	ContentType string // the header; empty: judged by the first bytes
	Body        []byte // without transfer and content encoding
}

// Result is the document that was in a page. All strings are valid UTF-8.
type Result struct {
	Text     string // blocks are separated by an empty line, rows and items by a line end
	Title    string
	Author   string
	Date     string // of publication, as the page says: "2006-01-02"
	Sitename string

	Language      string  // BCP 47 as the page declares it, else as detected; empty: unknown
	LanguageScore float64 // 0 to 1: how sure the detector is of Language
	Detected      string  // ISO 639 code that the detector found, declared or not

	Charset   content.Charset
	Extractor string // name and version of what chose the text

	SHA256  string // of the text in normal form, in lower-case hex; see Fingerprints in the package comment
	Simhash uint64 // near for near texts; 0 for a text without words
}

// Reason is why there is no document in a page. The strings are stable.
type Reason string

// The reasons.
const (
	ReasonTooLarge     Reason = "too-large"      // more bytes than MaxBytes
	ReasonTooManyNodes Reason = "too-many-nodes" // more than MaxNodes
	ReasonTooDeep      Reason = "too-deep"       // nested deeper than MaxDepth
	ReasonDeadline     Reason = "deadline"       // took longer than Deadline
	ReasonPanic        Reason = "panic"          // the extractor broke
	ReasonEmpty        Reason = "empty"          // it has no text
	ReasonNotText      Reason = "not-text"       // another media type, or binary declared as text
	ReasonCharset      Reason = "charset"        // its bytes are not of the charset it claims
)

// Error means that there is no document in a page.
type Error struct {
	URL    string
	Reason Reason
	Err    error // more about it, or nil
}

func (e *Error) Error() string {
	text := "extract text of " + e.URL + ": " + string(e.Reason)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
