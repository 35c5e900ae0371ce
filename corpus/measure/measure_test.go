package measure_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus/measure"
)

func TestCounts(t *testing.T) {
	for text, want := range map[string]measure.Counts{
		"":                                     {},
		"One line.\n\nAnd two words' more: 12": {Characters: 34, Words: 7, Lines: 2, Tokens: 8},
		"can't stop":                           {Characters: 10, Words: 2, Lines: 1, Tokens: 2},
		"船が港に入る。":                              {Characters: 7, Words: 6, Lines: 1, Tokens: 6},
		"👩‍🚀 ***":                              {Characters: 7, Lines: 1, Tokens: 2},
	} {
		if got, _ := measure.Of(text, measure.Facts{}); got != want {
			t.Errorf("%q: got %+v, want %+v", text, got, want)
		}
	}
}

func TestShares(t *testing.T) {
	text := "# Head\n\n- one…\n* two...\n• three\n\nHead of a line that is long enough to be one.\nHead of a line that is long enough to be one.\n\n“Quoted.”\n"
	_, got := measure.Of(text, measure.Facts{Links: 0.5})
	got.Fails = ""
	want := measure.Marks{
		Links: 0.5, Symbols: 0.0741, DoubledLines: 0.1429, DoubledText: 0.3571, Ellipses: 0.2857, Bullets: 0.4286, Ended: 0.7143, ShortLines: 0.7143,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
}

func TestShareIsAlwaysAFraction(t *testing.T) {
	for share, want := range map[measure.Share]string{0: "0.0", 1: "1.0", 0.25: "0.25", 1e-9: "0.000000001"} {
		if got, err := json.Marshal(share); err != nil || string(got) != want {
			t.Errorf("got %s (%v), want %s", got, err, want)
		}
	}
	if got := measure.ShareOf(1, 3); got != 0.3333 {
		t.Errorf("got %v", got)
	}
}

// prose is a text that fails no rule.
const prose = `The ships come in the morning, and they leave in the evening, and nobody knows where they go.
People of the town have watched them for a hundred years, and write down which of them have come.
On Saturdays the market opens at six, and by noon there is nothing left but cabbage leaves and fish.
Some come from far away, with carts and with stories, until the bell of the church has rung twice.`

// Each rule has a text that fails it; prose fails none.
func TestRules(t *testing.T) {
	if _, m := measure.Of(prose, measure.Facts{Language: "en"}); m.Fails != "" {
		t.Errorf("got %q for a text without faults", m.Fails)
	}
	lines := func(line string, n int) string { return strings.Repeat(line+"\n", n) }
	for rule, text := range map[string]string{
		"c4.sentences":                  "One sentence only, which is not enough for a page.",
		"c4.lorem-ipsum":                prose + "\nLorem ipsum dolor sit amet.",
		"c4.curly-bracket":              prose + "\nfunc main() {",
		"gopher.words":                  "Too few words.",
		"gopher.word-length":            lines("a b c d e f", 12),
		"gopher.symbols":                prose + strings.Repeat(" #", 20),
		"gopher.bullets":                "- " + strings.ReplaceAll(prose, "\n", "\n- "),
		"gopher.ellipses":               strings.ReplaceAll(prose, ".\n", "...\n"),
		"gopher.letters":                prose + strings.Repeat(" 12", 40),
		"gopher.stop-words":             "Ships come. Ships go. Nobody knows.",
		"gopher.doubled-lines":          lines("The same line.", 5) + prose,
		"gopher.doubled-paragraphs":     strings.Repeat("The same again.\n\n", 3) + prose,
		"gopher.doubled-line-text":      prose + "\n" + prose,
		"gopher.doubled-paragraph-text": prose + "\n\n" + prose,
		"gopher.frequent-2-words":       prose + strings.Repeat(" Saturday market", 20),
		"gopher.frequent-3-words":       prose + strings.Repeat(" big Saturday market", 20),
		"gopher.frequent-4-words":       prose + strings.Repeat(" very big Saturday market", 20),
		"gopher.doubled-5-words":        prose + "\n" + prose,
		"gopher.doubled-10-words":       prose + "\n" + prose,
		"fineweb.ended-lines":           "Home\nAbout\nContact us\nImprint",
		"fineweb.short-lines":           "Home.\nAbout.\nContact us.\nImprint.",
		"fineweb.doubled-text":          prose + "\nSome come from far away, with carts and with stories, until the bell of the church has rung twice.",
	} {
		_, m := measure.Of(text, measure.Facts{Language: "en"})
		if !strings.Contains(" "+m.Fails+" ", " "+rule+" ") {
			t.Errorf("%s: got %q", rule, m.Fails)
		}
	}
}

// Every rule is in the documentation, by its name or by that of its kind.
func TestRulesAreDocumented(t *testing.T) {
	page, err := os.ReadFile("../../docs/marks.md")
	if err != nil {
		t.Fatal(err)
	}
	numbered := regexp.MustCompile(`-\d+-`)
	for _, text := range []string{"", "{ lorem ipsum", strings.Repeat("# a b c d e f g h i j k\n", 20), strings.Repeat("- 1...\n\n", 20)} {
		_, m := measure.Of(text, measure.Facts{Language: "en"})
		for rule := range strings.FieldsSeq(m.Fails) {
			if name := numbered.ReplaceAllString(rule, "-N-"); !strings.Contains(string(page), "`"+name+"`") {
				t.Errorf("docs/marks.md does not have %s", name)
			}
		}
	}
}

// A text in a script without capitals or spaces is measured by the same rules.
func TestRulesInOtherScripts(t *testing.T) {
	for language, text := range map[string]string{
		"ja": strings.Repeat("朝になると船が港に入り、夕方になると出ていくが、どこへ行くのかは誰も知らない。町の人々は百年のあいだそれを見てきた。", 1) +
			"\n土曜日には市場が六時に開き、昼にはキャベツの葉と魚の匂いのほかに何も残っていない。遠くから荷車と物語をもって来る人もいる。",
		"hi": "सुबह जहाज़ बंदरगाह में आते हैं और शाम को चले जाते हैं, और कोई नहीं जानता कि वे कहाँ जाते हैं। शहर के लोग सौ साल से उन्हें देखते आए हैं।\n" +
			"शनिवार को बाज़ार छह बजे खुलता है, और दोपहर तक कुछ भी नहीं बचता। कुछ लोग बहुत दूर से आते हैं और कहानियाँ लाते हैं।",
	} {
		_, m := measure.Of(text, measure.Facts{Language: language})
		if strings.Contains(m.Fails, "fineweb") || strings.Contains(m.Fails, "c4.sentences") && language == "hi" {
			t.Errorf("%s: got %q", language, m.Fails)
		}
	}
}

func BenchmarkOf(b *testing.B) {
	text := strings.Repeat(prose+"\n", 8)
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		measure.Of(text, measure.Facts{Language: "en"})
	}
}
