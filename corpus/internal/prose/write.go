package prose

import (
	"strconv"
	"strings"
)

// A form is how the parts of a text are written.
type form interface {
	spans([]Span) string                        // of a paragraph; "\n" is a line end
	title(b Block) string                       // a heading or summary
	code(w *writer, b Block)                    // as lines
	table(w *writer, b Block)                   // as lines
	term(w *writer, b Block)                    // the term of a definition
	description(w *writer, b Block, first bool) // what it means
	rule(w *writer)
}

// Plain returns blocks as plain text: an empty line between blocks, "- " and "1. "
// before items, "> " before the lines of a quote, a tab between cells, code as it
// is, and four spaces before a description.
func Plain(blocks []Block) string { return write(blocks, plain{}) }

// Markdown returns blocks as Markdown: CommonMark with the tables of GitHub's, and
// ": " before a description, as in PHP Markdown Extra and Pandoc. Formulas in TeX
// are between dollar signs in both forms.
func Markdown(blocks []Block) string { return write(blocks, markdown{}) }

func write(blocks []Block, f form) string {
	w := writer{form: f}
	w.blocks(blocks)
	return w.text.String()
}

// A writer writes lines below the blocks that they are in.
type writer struct {
	form   form
	text   strings.Builder
	prefix string // of each line: indentation and marks of quotes
	mark   string // of the next line, instead of the end of prefix: that of an item
	gap    bool   // an empty line is due
	quoted string // the prefix of that line
}

// due makes an empty line before the next line.
func (w *writer) due() {
	w.gap, w.quoted = true, strings.TrimRight(w.prefix, " ")
}

// line writes one line.
func (w *writer) line(text string) {
	if w.text.Len() > 0 {
		w.text.WriteByte('\n')
		if w.gap {
			w.text.WriteString(w.quoted)
			w.text.WriteByte('\n')
		}
	}
	w.gap = false
	prefix := w.prefix
	if w.mark != "" {
		prefix = prefix[:len(prefix)-len(w.mark)] + w.mark
		w.mark = ""
	}
	if text == "" {
		prefix = strings.TrimRight(prefix, " ")
	}
	w.text.WriteString(prefix)
	w.text.WriteString(text)
}

func (w *writer) lines(text string) {
	for line := range strings.SplitSeq(text, "\n") {
		w.line(line)
	}
}

func (w *writer) blocks(blocks []Block) {
	for i, b := range blocks {
		if i > 0 {
			w.due()
		}
		w.block(b)
	}
}

func (w *writer) block(b Block) {
	switch b.Kind {
	case Paragraph:
		w.lines(w.form.spans(b.Spans))
	case Heading, Summary:
		w.line(w.form.title(b))
	case Code:
		w.form.code(w, b)
	case Quote:
		w.within("> ", "> ", func() { w.blocks(b.Blocks) })
	case List:
		w.list(b)
	case Definitions:
		w.definitions(b)
	case Table:
		w.form.table(w, b)
	case Rule:
		w.form.rule(w)
	case Item, Description, Term, Row, Cell: // written by what they are in
	}
}

// within writes blocks with a longer prefix; mark replaces it on the first line.
func (w *writer) within(prefix, mark string, blocks func()) {
	before := w.prefix
	w.prefix += prefix
	if w.mark != "" || mark != prefix { // also what begins an item
		w.mark += mark
	}
	blocks()
	w.prefix, w.mark = before, ""
}

// list writes the items of a list. Items of one paragraph, and lists in them, follow
// without empty lines.
func (w *writer) list(list Block) {
	loose := isLoose(list)
	for i, item := range list.Blocks {
		if i > 0 && loose {
			w.due()
		}
		mark := "- "
		if list.Ordered {
			mark = strconv.Itoa(item.Number) + ". "
		}
		w.within(strings.Repeat(" ", len(mark)), mark, func() {
			for i, b := range item.Blocks {
				if i > 0 && (loose || b.Kind != List) {
					w.due()
				}
				w.block(b)
			}
		})
	}
}

// isLoose reports whether an item of a list has more than a paragraph and lists.
func isLoose(list Block) bool {
	for _, item := range list.Blocks {
		for i, b := range item.Blocks {
			if i > 0 && b.Kind != List || b.Kind == List && isLoose(b) {
				return true
			}
		}
	}
	return false
}

func (w *writer) definitions(list Block) {
	for i, b := range list.Blocks {
		if b.Kind == Term {
			if i > 0 && list.Blocks[i-1].Kind != Term {
				w.due()
			}
			w.form.term(w, b)
			continue
		}
		w.form.description(w, b, i == 0 || list.Blocks[i-1].Kind == Term)
	}
}
