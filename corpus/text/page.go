package text

import "github.com/decorum-crawler/decorum/crawler/content"

// Page is a page as received. The pool does not change it.
type Page struct {
	URL         string // may be empty
	ContentType string // the header; empty: determined from the first bytes
	Body        []byte // without transfer and content encoding
}

// Result is the document in a page. All strings are valid UTF-8.
type Result struct {
	Text     string // blocks are separated by an empty line, rows and items by a line end
	Title    string
	Author   string
	Date     string // of publication, according to the page: "2006-01-02"
	Sitename string

	Format   Format  // that of Options for HTML, Plain for plain text and PDF, Markdown for Markdown
	Language string  // that was found: ISO 639-1, or 639-3 for one without; empty: none
	Score    float64 // how probable that is, 0 to 1
	Declared string  // language that the page declares, BCP 47; empty: none
	// Languages are those of the lines of Text; at least one.
	Languages []Run
	// Links is how many of the characters of the text are in links, 0 to 1.
	Links float64

	Charset   content.Charset
	Extractor string // name and version of the code that chose the text

	SHA256  string // of the text in normal form, in lower-case hex; see Fingerprints in the package comment
	Simhash uint64 // similar for similar texts; 0 for a text without words
}

// Run is a run of lines in one language.
type Run struct {
	Language string // as in [Result]
	Score    float64
	Line     int // the first one, from 1
	Lines    int
}

// Reason is why there is no document in a page. The strings are stable.
type Reason string

// The reasons.
const (
	ReasonTooLarge     Reason = "too-large"      // more bytes than MaxBytes
	ReasonTooManyNodes Reason = "too-many-nodes" // more than MaxNodes
	ReasonTooDeep      Reason = "too-deep"       // nested deeper than MaxDepth
	ReasonDeadline     Reason = "deadline"       // took longer than Deadline
	ReasonPanic        Reason = "panic"          // the extractor crashed
	ReasonEmpty        Reason = "empty"          // the page has no text
	ReasonNotText      Reason = "not-text"       // another media type, or binary declared as text
	ReasonPDF          Reason = "pdf"            // a PDF file that cannot be read
	ReasonCharset      Reason = "charset"        // the bytes are not in the declared charset
)

// Error means that there is no document in a page.
type Error struct {
	URL    string
	Reason Reason
	Err    error // details, or nil
}

// Error names the page, the reason and the details.
func (e *Error) Error() string {
	text := "extract text of " + e.URL + ": " + string(e.Reason)
	if e.Err != nil {
		text += ": " + e.Err.Error()
	}
	return text
}

// Unwrap returns Err.
func (e *Error) Unwrap() error { return e.Err }
