package text

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// extractor names the code that chooses the main text: this package, with a
// number that grows when its results change, and the library. A test compares the
// version of the library with go.mod.
const extractor = "decorum-text/1 go-trafilatura/v1.12.2"

// maxField bounds title, author and site name in bytes.
const maxField = 1024

// main returns the main text of an HTML page in UTF-8, and the language that the
// page declares.
func (r reader) main(ctx context.Context, address string, page []byte) (result Result, declared string, err error) {
	doc, err := r.tree(ctx, page)
	if err != nil {
		return Result{}, "", err
	}
	disarm(doc)
	tidy(doc)
	markMain(doc)
	declared = declaredLanguage(doc)
	if !hasWords(doc) { // otherwise the extractor would take the title for the text
		return Result{}, "", &Error{Reason: ReasonEmpty}
	}
	if ctx.Err() != nil {
		return Result{}, "", ctx.Err()
	}
	options := trafilatura.Options{ExcludeComments: true}
	if u, err := url.Parse(address); err == nil && u.IsAbs() {
		options.OriginalURL = u
	}
	found, err := trafilatura.ExtractDocument(doc, options)
	if err != nil { // its only error is a page without text
		return Result{}, "", &Error{Reason: ReasonEmpty, Err: err}
	}
	meta := found.Metadata
	return Result{
		Text:      plain(render(found.ContentNode)),
		Title:     field(meta.Title),
		Author:    field(meta.Author),
		Date:      day(meta.Date),
		Sitename:  field(meta.Sitename),
		Extractor: extractor,
	}, declared, nil
}

// hasWords reports whether a page has any word besides its title.
func hasWords(n *html.Node) bool {
	for c := range n.ChildNodes() {
		switch c.DataAtom {
		case atom.Head, atom.Script, atom.Style, atom.Template:
			continue
		}
		if c.Type == html.TextNode && strings.IndexFunc(c.Data, isShown) >= 0 || hasWords(c) {
			return true
		}
	}
	return false
}

// isShown reports whether a rune is part of a word, or replaces an undecodable
// one.
func isShown(c rune) bool { return isWordRune(c) || c == '\uFFFD' }

// field returns a line of bounded length.
func field(s string) string {
	s = strings.Join(strings.Fields(plain(strings.ToValidUTF8(s, "\uFFFD"))), " ")
	return head(s, maxField)
}

func day(t time.Time) string {
	if t.IsZero() {
		return ""
	}
	return t.Format(time.DateOnly)
}

// declaredLanguage returns the lang attribute of the html element, as written.
func declaredLanguage(doc *html.Node) string {
	for n := range doc.ChildNodes() {
		if n.DataAtom == atom.Html {
			if lang := attribute(n, "lang"); lang != "" {
				return lang
			}
			return attribute(n, "xml:lang")
		}
	}
	return ""
}
