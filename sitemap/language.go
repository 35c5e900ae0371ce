package sitemap

import (
	"strings"

	"golang.org/x/text/language"
)

// isHrefLang reports whether a value of hreflang names a known language: x-default,
// or a language of ISO 639 with a script of ISO 15924, a region of ISO 3166-1, or
// both.
func isHrefLang(text string) bool {
	if strings.EqualFold(text, "x-default") {
		return true
	}
	parts := strings.Split(text, "-")
	if !isLanguage(parts[0]) || len(parts) > 3 {
		return false
	}
	rest := parts[1:]
	if len(rest) > 0 && len(rest[0]) == len("Latn") {
		if _, err := language.ParseScript(rest[0]); err != nil {
			return false
		}
		rest = rest[1:]
	}
	return len(rest) == 0 || len(rest) == 1 && isRegion(rest[0])
}

// isLanguage reports whether a code of two or three letters is one of ISO 639.
func isLanguage(code string) bool {
	if len(code) != 2 && len(code) != 3 || code == "und" {
		return false
	}
	_, err := language.ParseBase(code)
	return err == nil
}

// isRegion reports whether a code is that of a country, or 419 for Latin America.
// UK is not a code of ISO 3166-1; Great Britain is GB.
func isRegion(code string) bool {
	region, err := language.ParseRegion(code)
	return err == nil && (code == "419" || len(code) == 2 && region.IsCountry() && strings.EqualFold(region.String(), code) && region.Canonicalize() == region)
}

// isNewsLanguage reports whether a news:language is one that Google's extension
// allows.
func isNewsLanguage(code string) bool {
	return isLanguage(code) || code == "zh-cn" || code == "zh-tw"
}
