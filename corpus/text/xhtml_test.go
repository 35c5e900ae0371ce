package text

import (
	"strings"
	"testing"
)

func TestExpand(t *testing.T) {
	for page, want := range map[string]string{
		`<html><script src="x"/><title/><p>a<br/>b<div hidden="hidden" />c</p></html>`: `<html><script src="x"></script><title></title><p>a<br>b<div hidden="hidden" ></div>c</p></html>`,
		`<p>no element ends in its tag</p>`:                                            `<p>no element ends in its tag</p>`,
		`<script>"<b/>"</script><i/>`:                                                  `<script>"<b/>"</script><i></i>`,
	} {
		if got := string(expand([]byte(page))); got != want {
			t.Errorf("got %s, want %s", got, want)
		}
	}
}

// TestXHTMLIsReadToItsEnd has an XHTML page with scripts that end in their tags.
func TestXHTMLIsReadToItsEnd(t *testing.T) {
	page := Page{URL: "https://a.example/", ContentType: "application/xhtml+xml", Body: []byte(`<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="x"/><title>T</title></head><body><template/><article><p>` +
		strings.Repeat("The river had fallen by a third since the spring. ", 20) + `</p></article></body></html>`)}
	result, err := reader{Options{}.withDefaults()}.read(t.Context(), page)
	if err != nil || !strings.Contains(result.Text, "The river had fallen") {
		t.Errorf("got %q, %v", result.Text, err)
	}
}
