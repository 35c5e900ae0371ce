package prose

// Kind is what a block is.
type Kind uint8

// The kinds of blocks. Those with text have spans, the others have blocks.
const (
	Paragraph   Kind = iota // spans
	Heading                 // spans, and a Level from 1 to 6
	Summary                 // spans: what is always shown of details
	Term                    // spans, in Definitions
	Code                    // Source and Language
	Quote                   // blocks
	List                    // Items; First is the number of the first if it is Ordered
	Item                    // blocks
	Definitions             // Terms and Descriptions
	Description             // blocks
	Table                   // Rows, and spans for its caption
	Row                     // Cells
	Cell                    // spans
	Rule                    // a line between two parts
)

// Block is a part of a text that has lines of its own.
type Block struct {
	Kind   Kind
	Spans  []Span
	Blocks []Block

	Level    int    // of a Heading
	Ordered  bool   // a List with numbers, or an Item with its own Number
	Number   int    // of an Item in an ordered List
	Source   string // of Code, without line ends around it
	Language string // of Code, as the page names it, or ""
	Head     bool   // a Cell that names its row or column
}

// Style is how a span is set.
type Style uint8

// The styles of spans, which can be combined.
const (
	Strong Style = 1 << iota
	Emphasis
	Fixed  // code within a line
	Struck // deleted
	TeX    // a formula in TeX
	Display
)

// Span is a piece of a line in one style. "\n" in its text is a line end.
type Span struct {
	Text  string
	Style Style
}

// textOf returns the characters of spans.
func textOf(spans []Span) string {
	if len(spans) == 1 {
		return spans[0].Text
	}
	var all []byte
	for _, s := range spans {
		all = append(all, s.Text...)
	}
	return string(all)
}
