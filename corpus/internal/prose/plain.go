package prose

import "strings"

// plain is the form without marks of style.
type plain struct{}

func (plain) spans(spans []Span) string {
	if len(spans) == 1 && spans[0].Style&TeX == 0 {
		return spans[0].Text
	}
	var b strings.Builder
	for _, s := range spans {
		if s.Style&TeX != 0 {
			b.WriteString(dollars(s))
			continue
		}
		b.WriteString(s.Text)
	}
	return b.String()
}

// dollars returns a formula between dollar signs.
func dollars(s Span) string {
	if s.Style&Display != 0 {
		return "$$" + s.Text + "$$"
	}
	return "$" + s.Text + "$"
}

func (p plain) title(b Block) string { return oneLine(p.spans(b.Spans)) }

func (plain) code(w *writer, b Block) { w.lines(b.Source) }

func (p plain) table(w *writer, b Block) {
	if b.Spans != nil {
		w.line(oneLine(p.spans(b.Spans)))
		if len(b.Blocks) > 0 {
			w.due()
		}
	}
	for _, row := range b.Blocks {
		cells := make([]string, len(row.Blocks))
		for i, cell := range row.Blocks {
			cells[i] = oneLine(p.spans(cell.Spans))
		}
		w.line(strings.TrimRight(strings.Join(cells, "\t"), "\t"))
	}
}

func (p plain) term(w *writer, b Block) { w.line(oneLine(p.spans(b.Spans))) }

func (plain) description(w *writer, b Block, first bool) {
	if !first {
		w.due()
	}
	w.within("    ", "    ", func() { w.blocks(b.Blocks) })
}

func (plain) rule(*writer) {}

func oneLine(s string) string { return strings.ReplaceAll(s, "\n", " ") }
