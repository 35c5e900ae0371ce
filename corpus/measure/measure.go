package measure

import "strings"

// Counts are the sizes of a text.
type Counts struct {
	Characters int64 `json:"characters" parquet:"characters"` // Unicode code points
	Words      int64 `json:"words" parquet:"words"`           // of UAX #29, with a letter or a number
	Lines      int64 `json:"lines" parquet:"lines"`           // that are not empty
	Tokens     int64 `json:"tokens" parquet:"tokens"`         // an estimate, see tokens
}

// Marks are what data sets are filtered by. Shares of lines are of those that are not
// empty.
type Marks struct {
	Links        Share `json:"links" parquet:"links"`                 // characters of links in the page, of those of its text
	Symbols      Share `json:"symbols" parquet:"symbols"`             // "#" and ellipses, to the words; at most 1
	DoubledLines Share `json:"doubled_lines" parquet:"doubled_lines"` // lines that were there before
	DoubledText  Share `json:"doubled_text" parquet:"doubled_text"`   // characters in such lines
	Ellipses     Share `json:"ellipses" parquet:"ellipses"`           // lines that end in an ellipsis
	Bullets      Share `json:"bullets" parquet:"bullets"`             // lines that begin with a bullet
	Ended        Share `json:"ended" parquet:"ended"`                 // lines that end in a mark that ends a sentence
	ShortLines   Share `json:"short_lines" parquet:"short_lines"`     // lines of less than 30 characters
	// Fails names the rules that a data set would leave the text out by, separated by
	// spaces; empty: none. A list would have no type where it is empty.
	Fails string `json:"fails" parquet:"fails"`
}

// Facts are what is known of a text besides its characters.
type Facts struct {
	Language string // ISO 639-1; some rules are on English only
	Links    Share  // characters of links
}

// Of measures a text.
func Of(text string, facts Facts) (Counts, Marks) {
	t := read(text)
	marks := Marks{
		Links: facts.Links, Symbols: min(1, ShareOf(t.symbols, len(t.words))),
		DoubledLines: ShareOf(t.lines.doubled, t.lines.all), DoubledText: ShareOf(t.lines.doubledCharacters, t.lines.characters),
		Ellipses: ShareOf(t.ellipses, t.lines.all), Bullets: ShareOf(t.bullets, t.lines.all),
		Ended: ShareOf(t.ended, t.lines.all), ShortLines: ShareOf(t.short, t.lines.all),
	}
	marks.Fails = strings.Join(t.fails(marks, facts.Language), " ")
	counts := Counts{
		Characters: int64(t.characters), Words: int64(len(t.words)), Lines: int64(t.lines.all), Tokens: t.tokens.estimate(),
	}
	return counts, marks
}
