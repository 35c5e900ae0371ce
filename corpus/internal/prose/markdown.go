package prose

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// markdown is the form of CommonMark with GitHub's tables.
type markdown struct{}

func (markdown) spans(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(marked(s))
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = guarded(line)
	}
	return strings.Join(lines, "  \n")
}

// marked returns a span with the marks of its style.
func marked(s Span) string {
	switch {
	case s.Style&TeX != 0:
		return dollars(s)
	case s.Style&Fixed != 0:
		return fixed(s.Text)
	}
	mark := ""
	if s.Style&Struck != 0 {
		mark = "~~"
	}
	if s.Style&Strong != 0 {
		mark += "**"
	}
	if s.Style&Emphasis != 0 {
		mark += "*"
	}
	text := strings.TrimSpace(s.Text)
	if mark == "" || text == "" {
		return escape(s.Text)
	}
	at := strings.Index(s.Text, text)
	closing := []byte(mark)
	for i, j := 0, len(closing)-1; i < j; i, j = i+1, j-1 {
		closing[i], closing[j] = closing[j], closing[i]
	}
	body := strings.ReplaceAll(escape(text), "\n", string(closing)+"\n"+mark)
	return s.Text[:at] + mark + body + string(closing) + s.Text[at+len(text):]
}

// fixed returns code between as many backticks as it needs.
func fixed(code string) string {
	if !strings.Contains(code, "`") {
		return "`" + strings.ReplaceAll(code, "\n", "`\n`") + "`"
	}
	fence := "``"
	for strings.Contains(code, fence) {
		fence += "`"
	}
	return fence + " " + strings.ReplaceAll(code, "\n", " ") + " " + fence
}

// escape puts a backslash before characters that would be marks within a line.
func escape(text string) string {
	if !strings.ContainsAny(text, "*_`<[\\") {
		return text
	}
	var b strings.Builder
	before := ' '
	for at, c := range text {
		after, _ := utf8.DecodeRuneInString(text[at+utf8.RuneLen(c):])
		switch c {
		case '*':
			if !unicode.IsSpace(before) || !unicode.IsSpace(after) {
				b.WriteByte('\\')
			}
		case '_':
			if !isWord(before) || !isWord(after) {
				b.WriteByte('\\')
			}
		case '`':
			b.WriteByte('\\')
		case '<':
			if unicode.IsLetter(after) || after == '/' || after == '!' || after == '?' {
				b.WriteByte('\\')
			}
		case '\\':
			if after == '*' || after == '_' || after == '`' || after == '<' {
				b.WriteByte('\\')
			}
		}
		b.WriteRune(c)
		before = c
	}
	return b.String()
}

func isWord(c rune) bool { return unicode.IsLetter(c) || unicode.IsNumber(c) || c == '_' }

// block matches the start of a line that would be a block of another kind.
var block = regexp.MustCompile(`^( *)(#{1,6} |[-+] |>|\d{1,9}[.)] |(?:---|===)[-=]*$)`)

// guarded returns a line so that it is read as part of a paragraph.
func guarded(line string) string {
	at := block.FindStringSubmatchIndex(line)
	if at == nil {
		return line
	}
	end := at[5]
	if c := line[at[4]]; c >= '0' && c <= '9' {
		return line[:end-2] + `\` + line[end-2:]
	}
	return line[:at[4]] + `\` + line[at[4]:]
}

func (m markdown) title(b Block) string {
	text := oneLine(m.inline(b.Spans))
	if b.Kind == Summary {
		return "**" + strings.ReplaceAll(text, "**", "") + "**"
	}
	return strings.Repeat("#", b.Level) + " " + text
}

// inline returns spans as a part of a line.
func (markdown) inline(spans []Span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(marked(s))
	}
	return b.String()
}

func (markdown) code(w *writer, b Block) {
	fence := "```"
	for strings.Contains(b.Source, fence) {
		fence += "`"
	}
	w.line(fence + b.Language)
	w.lines(b.Source)
	w.line(fence)
}

func (m markdown) table(w *writer, b Block) {
	if b.Spans != nil {
		w.lines(m.spans(b.Spans))
		if len(b.Blocks) > 0 {
			w.due()
		}
	}
	columns := 0
	for _, row := range b.Blocks {
		columns = max(columns, len(row.Blocks))
	}
	if columns == 0 {
		return
	}
	rows := b.Blocks
	head := Block{}
	if isHead(rows[0]) {
		head, rows = rows[0], rows[1:]
	}
	w.line(m.row(head, columns))
	w.line("|" + strings.Repeat(" --- |", columns))
	for _, row := range rows {
		w.line(m.row(row, columns))
	}
}

// isHead reports whether a row names the columns.
func isHead(row Block) bool {
	for _, cell := range row.Blocks {
		if !cell.Head && cell.Spans != nil {
			return false
		}
	}
	return true
}

func (m markdown) row(row Block, columns int) string {
	var b strings.Builder
	b.WriteByte('|')
	for i := range columns {
		text := ""
		if i < len(row.Blocks) {
			text = strings.ReplaceAll(m.inline(row.Blocks[i].Spans), "|", `\|`)
			text = strings.ReplaceAll(text, "\n", "<br>")
		}
		b.WriteString(" " + text)
		if text != "" {
			b.WriteByte(' ')
		}
		b.WriteByte('|')
	}
	return b.String()
}

func (m markdown) term(w *writer, b Block) { w.line(guarded(oneLine(m.inline(b.Spans)))) }

func (markdown) description(w *writer, b Block, _ bool) {
	w.within("  ", ": ", func() { w.blocks(b.Blocks) })
}

func (markdown) rule(w *writer) { w.line("---") }
