package sitemap

import "testing"

func TestIsHrefLang(t *testing.T) {
	for text, want := range map[string]bool{
		"en": true, "en-GB": true, "EN-gb": true, "zh-Hant": true, "zh-Hans-TW": true, "es-419": true, "x-default": true, "X-Default": true, "fil": true,
		"de-AT": true, "sr-Latn": true, "no": true, "pt-BR": true, "he": true, "iw": true, "en-XK": true,
		"en-UK": false, "english_UK": false, "en_GB": false, "xx": false, "be-BLR": false, "en-EU": false, "": false, "-": false, "en-": false, "en-ZZ": false,
		"jp": false, "und": false, "en-GB-x": false, "de-Latn-AT-x": false, "es-LATAM": false, "a": false,
	} {
		if got := isHrefLang(text); got != want {
			t.Errorf("isHrefLang(%q): got %v, want %v", text, got, want)
		}
	}
}
