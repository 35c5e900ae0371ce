package text

import (
	"math"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

const (
	inEnglish = "The ships come in the morning, and they leave in the evening, and nobody knows where they go. People have watched them for years.\n\n"
	inGerman  = "Die Schiffe kommen am Morgen und fahren am Abend, und niemand weiß, wohin sie fahren. Die Leute haben ihnen lange zugesehen.\n\n"
	inRussian = "Корабли приходят утром и уходят вечером, и никто не знает, куда они идут. Мы смотрим на них уже сто лет, и это никому не надоело.\n\n"
)

// A page in several languages has each of them, with its lines.
func TestLanguagesByLine(t *testing.T) {
	code := "```\nfor the in and of to be\n```\n\n"
	for name, test := range map[string]struct {
		text string
		want []Run
	}{
		"one":          {strings.Repeat(inEnglish, 12), []Run{{"en", 1, 1, 23}}},
		"two":          {strings.Repeat(inEnglish, 3) + strings.Repeat(inGerman, 3), []Run{{"en", 1, 1, 6}, {"de", 1, 7, 5}}},
		"by turns":     {inEnglish + inGerman + inEnglish, []Run{{"en", 1, 1, 2}, {"de", 1, 3, 2}, {"en", 1, 5, 1}}},
		"two scripts":  {inRussian + inEnglish, []Run{{"ru", 1, 1, 2}, {"en", 1, 3, 1}}},
		"code":         {inGerman + code + inGerman, []Run{{"de", 1, 1, 7}}},
		"a short line": {"Hafen\n\n" + inEnglish, []Run{{"en", 1, 1, 3}}},
		"no words":     {"12345\n67890", []Run{{"", 0, 1, 2}}},
	} {
		r := Result{Text: strings.TrimSpace(test.text)}
		r.language("fr")
		for i := range r.Languages {
			r.Languages[i].Score = math.Round(r.Languages[i].Score*20) / 20
		}
		if diff := cmp.Diff(test.want, r.Languages); diff != "" {
			t.Errorf("%s: -want +got:\n%s", name, diff)
		}
	}
}

// The score falls with what is in another language, and with what is uncertain.
func TestLanguageScore(t *testing.T) {
	score := func(text string) float64 {
		r := Result{Text: strings.TrimSpace(text)}
		r.language("")
		return r.Score
	}
	if got := score(strings.Repeat(inEnglish, 4)); got < 0.99 || got >= 1 {
		t.Errorf("one language: got %v", got)
	}
	if got := score(strings.Repeat(inEnglish, 3) + inGerman); got < 0.65 || got > 0.85 {
		t.Errorf("three quarters: got %v", got)
	}
	if got := score("Hotel Salon Menu"); got > 0.8 {
		t.Errorf("three words of many languages: got %v", got)
	}
}

// A score is how often the language is right: pieces of known pages are sorted by
// score, and in each group so many are right.
func TestLanguageScoreIsAProbability(t *testing.T) {
	p := closing(t, Options{})
	var sum, right, all [5]float64
	for _, known := range knownPages(t) {
		r, err := p.Extract(t.Context(), known.page)
		if err != nil {
			t.Fatal(err)
		}
		want := known.name[strings.LastIndex(known.name, "-")+1:]
		for text := []rune(r.Text); len(text) >= 40; text = text[40:] {
			piece := Result{Text: strings.TrimSpace(string(text[:40]))}
			piece.language("")
			group := min(4, int(piece.Score*5))
			all[group]++
			sum[group] += piece.Score
			if piece.Language == want {
				right[group]++
			}
		}
	}
	for i := range all {
		if all[i] >= 30 && math.Abs(sum[i]-right[i])/all[i] > 0.15 {
			t.Errorf("of %v pieces with a mean score of %.2f %.2f are right", all[i], sum[i]/all[i], right[i]/all[i])
		}
	}
}

func BenchmarkLanguage(b *testing.B) {
	text := strings.Repeat(inEnglish, 24)
	for b.Loop() {
		r := Result{Text: text}
		r.language("en")
	}
}
