package text

import (
	"unicode/utf8"

	"github.com/abadojack/whatlanggo"
	"golang.org/x/text/language"
)

// sample is how much of a text the detector reads, in bytes.
const sample = 2048

// language fills in the three language fields. Language is what the page declares,
// because the author knows best; the score tells how far the text confirms it. It
// is 0 when the detector finds another language, so a threshold on the score also
// drops templates that declare "en" around Turkish text.
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

// sameLanguage reports whether two codes stand for the same language.
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
		return "sh" // too similar for a detector of trigrams
	}
	return code
}

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
