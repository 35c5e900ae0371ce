package prose

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// Characters that Unicode has above and below the line.
const (
	level   = "0123456789+-−=()aeoxhklmnpstijruv"
	lowered = "₀₁₂₃₄₅₆₇₈₉₊₋₋₌₍₎ₐₑₒₓₕₖₗₘₙₚₛₜᵢⱼᵣᵤᵥ"
	upright = "0123456789+-−=()abcdefghijklmnoprstuvwxyz"
	raised  = "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻⁼⁽⁾ᵃᵇᶜᵈᵉᶠᵍʰⁱʲᵏˡᵐⁿᵒᵖʳˢᵗᵘᵛʷˣʸᶻ"
)

// script reads an index or exponent: H₂O, 10⁻³, x^(a·b). Endings of numerals and
// of abbreviations stay as they are: 1st, Mme.
func (r *reader) script(n *html.Node) {
	text := strings.TrimSpace(textOf(flat(n)))
	if text == "" {
		return
	}
	above := n.DataAtom == atom.Sup
	if r.line.last == 0 || r.line.last == '\n' || above && (r.line.blank || isEnding(text)) {
		r.line.write(text)
		return
	}
	r.line.blank = false
	r.line.write(scripted(text, above))
}

// isEnding reports whether text is the ending of a numeral or an abbreviation, or a
// mark.
func isEnding(text string) bool {
	letters := 0
	for _, c := range text {
		if !unicode.IsLetter(c) && c != '.' && c != '™' && c != '®' && c != '©' && c != 'º' && c != 'ª' {
			return false
		}
		letters++
	}
	switch text {
	case "e", "o", "a", "d", "r":
		return true
	}
	return letters > 1 || text == "™" || text == "®" || text == "©"
}

// scripted returns text as index or exponent: in Unicode's own characters if it has
// all of them, else after "_" or "^", in parentheses if it is more than a word.
func scripted(text string, above bool) string {
	from, to, mark := level, lowered, "_"
	if !above && utf8.RuneCountInString(text) > 1 && strings.IndexFunc(text, func(c rune) bool { return !unicode.IsLetter(c) }) < 0 {
		return mark + text
	}
	if above {
		from, to, mark = upright, raised, "^"
	}
	set := []rune(to)
	var b strings.Builder
	for _, c := range text {
		at := strings.IndexRune(from, c)
		if at < 0 {
			if utf8.RuneCountInString(text) == 1 || strings.HasPrefix(text, "(") && strings.HasSuffix(text, ")") {
				return mark + text
			}
			return mark + "(" + text + ")"
		}
		b.WriteRune(set[utf8.RuneCountInString(from[:at])])
	}
	return b.String()
}

// ruby reads a word with its reading, which follows in parentheses: 灯台（とうだい）.
func (r *reader) ruby(n *html.Node) {
	var reading strings.Builder
	var base func(*html.Node)
	base = func(n *html.Node) {
		for child := range n.ChildNodes() {
			switch child.DataAtom {
			case atom.Rt:
				reading.WriteString(textOf(flat(child)))
			case atom.Rtc, atom.Rb:
				base(child)
			default:
				r.node(child)
			}
		}
	}
	base(n)
	switch text := reading.String(); {
	case text == "":
	case wide(r.line.last):
		r.line.piece("（"+text+"）", r.line.style)
	default:
		r.line.blank = false
		r.line.piece("("+text+")", r.line.style)
	}
}
