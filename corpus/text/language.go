package text

import (
	"strings"
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"
)

// sample is how much of a text the detector reads, in bytes.
const sample = 2048

// language fills in the fields on language.
func (r *Result) language(declared string) {
	if tag, err := language.Parse(declared); err == nil && tag != language.Und {
		r.Declared = tag.String()
	}
	r.Language, r.Score = detect(r.Text)
	r.Languages = []Run{{r.Language, r.Score, 1, strings.Count(r.Text, "\n") + 1}}
}

// detect returns the language of a text and how probable it is.
func detect(text string) (code string, probability float64) {
	info := whatlanggo.Detect(head(text, sample))
	if info.Script == nil || info.Lang < 0 {
		return "", 0
	}
	if code = info.Lang.Iso6391(); code == "" {
		code = info.Lang.Iso6393()
	}
	if code == "nb" || code == "nn" {
		code = "no" // too similar to be told apart by trigrams
	}
	return code, score(info)
}

func score(info whatlanggo.Info) float64 { return min(max(info.Confidence, 0), 1) }

// head returns at most the first n bytes of s, cut between characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
