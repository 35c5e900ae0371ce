package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// A reader extracts the documents of pages within its limits. It has no state.
type reader struct{ options Options }

// read returns the document in a page. The caller has checked MaxBytes.
func (r reader) read(ctx context.Context, page Page) (Result, error) {
	kind, ok := r.mediaOf(page)
	if !ok {
		return Result{}, &Error{Reason: ReasonNotText, Err: fmt.Errorf("media type %s", kind)}
	}
	if kind == mediaPDF {
		return r.pdf(ctx, page.Body)
	}
	body, charset := content.Decode(page.Body, page.ContentType)
	if charset.Name == "replacement" {
		return Result{}, &Error{Reason: ReasonCharset, Err: errors.New("charset is not supported by browsers")}
	}
	if len(body) > r.options.MaxBytes {
		err := fmt.Errorf("%d bytes as UTF-8, at most %d", len(body), r.options.MaxBytes)
		return Result{}, &Error{Reason: ReasonTooLarge, Err: err}
	}
	if isBinary(body) {
		return Result{}, &Error{Reason: ReasonNotText, Err: fmt.Errorf("binary declared as %s", kind)}
	}
	body = bytes.ToValidUTF8(body, []byte("\uFFFD"))
	if kind != mediaHTML && isFeed(body) {
		return Result{}, &Error{Reason: ReasonNotText, Err: errors.New("a feed or other XML")}
	}
	result, declared := Result{Text: plain(string(body)), Format: Plain, Extractor: "none"}, ""
	switch kind {
	case mediaMarkdown:
		result.Format, result.Title = Markdown, heading(result.Text)
	case mediaHTML:
		var err error
		if content.IsXHTML(page.ContentType) {
			body = expand(body)
		}
		if result, declared, err = r.main(ctx, page.URL, body); err != nil {
			return Result{}, err
		}
	}
	result.Charset = charset
	return finish(result, declared)
}

// finish checks a text and adds language and fingerprints.
func finish(result Result, declared string) (Result, error) {
	if broken, runes := strings.Count(result.Text, "\uFFFD"), utf8.RuneCountInString(result.Text); broken*100 > runes {
		err := fmt.Errorf("%d of %d characters are not valid in %s", broken, runes, result.Charset.Name)
		return Result{}, &Error{Reason: ReasonCharset, Err: err}
	}
	if strings.IndexFunc(result.Text, isWordRune) < 0 {
		return Result{}, &Error{Reason: ReasonEmpty}
	}
	result.language(declared)
	result.SHA256, result.Simhash = Fingerprints(result.Text)
	return result, nil
}

// The media types that hold text.
const (
	mediaHTML     = "text/html"
	mediaPlain    = "text/plain"
	mediaMarkdown = "text/markdown" // RFC 7763
	mediaPDF      = "application/pdf"
)

// mediaOf returns the media type of a page and whether it is one with text. Servers
// send Markdown as plain text, so the name of the file tells it as well.
func (r reader) mediaOf(page Page) (string, bool) {
	kind := content.Media(page.ContentType)
	if kind == "" {
		kind = content.Media(http.DetectContentType(page.Body))
	}
	switch kind {
	case "application/xhtml+xml":
		kind = mediaHTML
	case "text/x-markdown":
		kind = mediaMarkdown
	case mediaPlain:
		if u, err := url.Parse(page.URL); err == nil && slices.Contains([]string{".md", ".markdown"}, strings.ToLower(path.Ext(u.Path))) {
			kind = mediaMarkdown
		}
	case mediaPDF:
		return kind, r.options.PDF.Program != ""
	}
	return kind, kind == mediaHTML || kind == mediaPlain || kind == mediaMarkdown
}

// isFeed reports whether a text begins as XML does: a feed is the contents of pages
// once more, and no page.
func isFeed(text []byte) bool {
	text = bytes.TrimLeft(text, " \t\r\n\ufeff")
	for _, start := range []string{"<?xml", "<rss", "<feed", "<rdf:"} {
		if bytes.HasPrefix(text, []byte(start)) {
			return true
		}
	}
	return false
}

// heading returns the first heading of a text in Markdown, if it is of the first level.
func heading(text string) string {
	for line := range strings.SplitSeq(text, "\n") {
		if title, ok := strings.CutPrefix(line, "# "); ok {
			return field(strings.TrimRight(title, "# "))
		}
	}
	return ""
}

// isBinary reports whether more than one in fifty of the first characters are
// control characters that do not occur in text. Images, archives and PDF files
// have far more of them, and one or two stray NULs do not make a page binary.
func isBinary(body []byte) bool {
	head := body[:min(len(body), 32<<10)]
	runes, controls := 0, 0
	for len(head) > 0 {
		c, size := utf8.DecodeRune(head)
		head = head[size:]
		runes++
		if isControl(c) || c >= 0x80 && c < 0xa0 && c != 0x85 {
			controls++
		}
	}
	return (controls-2)*50 > runes
}

// isControl reports whether c is an ASCII control other than white space.
func isControl(c rune) bool {
	return c < ' ' && (c < '\t' || c > '\r') || c == 0x7f
}

// plain returns text with "\n" as line end, without control characters, and
// without white space around it.
func plain(text string) string {
	text = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\f", "\n", "\v", "\n").Replace(text)
	text = strings.Map(func(c rune) rune {
		if isControl(c) {
			return -1
		}
		return c
	}, text)
	return strings.TrimSpace(text)
}
