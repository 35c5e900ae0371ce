package text

import (
	"math/bits"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestDigest(t *testing.T) {
	const want = "b94d27b9934d3e08a52e52d7da7dabfac484efe37a5380ee9088f7ace2efcde9" // of "hello world"
	for _, text := range []string{"hello world", " hello\r\n\tworld\u00a0", "hello\u2003world"} {
		if got := content.SHA256([]byte(normal(text))); got != want {
			t.Errorf("%q: got %s, want %s", text, got, want)
		}
	}
	if normal("caf\u00e9") != normal("cafe\u0301") {
		t.Error("composed and decomposed letters differ, want NFC")
	}
	if content.SHA256([]byte(normal("Hello world"))) == want {
		t.Error("case is folded, want it kept")
	}
}

func TestWordsOf(t *testing.T) {
	tests := map[string][]string{
		"":                     nil,
		"one, two-three 4":     {"one", "two", "three", "4"},
		"港の船 ship":             {"港", "の", "船", "ship"},
		"iPhone手机":             {"iPhone", "手", "机"},
		"ที่นี่":               {"ที่", "นี่"},
		"हिन्दी में":           {"हिन्दी", "में"},
		"한국어 문장":               {"한국어", "문장"},
		"\u0301 lonely accent": {"lonely", "accent"},
	}
	for text, want := range tests {
		var got []string
		for start, end := range wordsOf(text) {
			got = append(got, text[start:end])
		}
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q: -want +got:\n%s", text, diff)
		}
	}
}

func TestSimhash(t *testing.T) {
	english := strings.Fields(essay)
	changed := slices.Clone(english)
	changed[len(changed)/2] = "something"
	japanese := "港の長は入港するすべての船を、旗と積み荷とともに帳面に書きとめる。夕方になると港は静かになり、漁師たちは網をつくろいながら翌日の天気について話し合う。"
	tests := []struct {
		name, a, b string
		min, max   int
	}{
		{"white space and case", essay, strings.ToUpper(strings.Join(english, "\n\n")), 0, 0},
		{"one word of many", essay, strings.Join(changed, " "), 0, 10},
		{"other text", essay, strings.Repeat("Bread needs flour, water, salt and patience before anything else. ", 6), 16, 64},
		{"one character of a Japanese text", japanese, strings.Replace(japanese, "夕方", "夕暮", 1), 0, 14},
		{"other Japanese text", japanese, "パンを焼くには小麦粉と水と塩、そして何よりも忍耐が必要である。", 16, 64},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := bits.OnesCount64(simhashOf(normal(test.a)) ^ simhashOf(normal(test.b))); got < test.min || got > test.max {
				t.Errorf("got distance %d, want %d to %d", got, test.min, test.max)
			}
		})
	}
	if got := simhashOf("… !"); got != 0 {
		t.Errorf("got %x for a text without words, want 0", got)
	}
	if simhashOf("two words") == 0 {
		t.Error("got 0 for two words")
	}
}

// essay is a little more than 100 words, none of them repeated often.
const essay = `The harbour master writes down every ship that enters, with its flag, its cargo and the hour of the
tide. In the evening the quay grows quiet; fishermen mend nets and argue about tomorrow's weather while gulls walk
between coils of rope. A boy sells hot chestnuts from an iron drum, and his smoke drifts over the water towards the
lighthouse, where an old woman has kept the lamp for thirty years. She remembers storms by the names of boats that
did not return, and she can tell from the colour of the first clouds whether a northern wind will rise before morning
or leave the bay as flat as glass.`
