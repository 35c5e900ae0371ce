package text

import (
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"
)

// sample is how much of a text the detector reads, in bytes.
const sample = 2048

// language fills in the three language fields. What the page declares is
// recorded, for the author knows best; the score tells how far the text bears
// it out. It is 0 when the detector reads another language, so a threshold on
// the score also drops templates that say "en" around Turkish text.
func (r *Result) language(declared string) {
	info := whatlanggo.Detect(head(r.Text, sample))
	if info.Script != nil && info.Lang >= 0 {
		if r.Detected = info.Lang.Iso6391(); r.Detected == "" {
			r.Detected = info.Lang.Iso6393()
		}
	}
	tag, err := language.Parse(declared)
	if err != nil || tag == language.Und {
		r.Language, r.LanguageScore = r.Detected, score(info)
		return
	}
	r.Language = tag.String()
	if base, _ := tag.Base(); sameLanguage(base.String(), r.Detected) {
		r.LanguageScore = score(info)
	}
}

func score(info whatlanggo.Info) float64 { return min(max(info.Confidence, 0), 1) }

// sameLanguage compares codes where one language has several.
func sameLanguage(a, b string) bool { return canonical(a) == canonical(b) }

func canonical(code string) string {
	switch code {
	case "nb", "nn":
		return "no"
	case "zh", "cmn", "yue":
		return "zh"
	case "tl":
		return "fil"
	case "bs", "hr", "sr", "sh":
		return "sh" // too near to each other for a detector of trigrams
	}
	return code
}

// head returns at most n bytes of s, whole characters.
func head(s string, n int) string {
	if len(s) <= n {
		return s
	}
	for !utf8.RuneStart(s[n]) {
		n--
	}
	return s[:n]
}
