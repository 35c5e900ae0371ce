package text

import (
	"context"
	"net/url"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/markusmobius/go-trafilatura"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/decorum-crawler/decorum/corpus/internal/prose"
)

// extractor names the code that chooses the main text: this package, with a
// number that grows when its results change, and the library. A test compares the
// version of the library with go.mod.
const extractor = "decorum-text/2 go-trafilatura/v1.12.2"

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
	parsed, err := url.Parse(address)
	if err != nil || !parsed.IsAbs() {
		parsed = nil
	}
	meta := describe(doc, parsed)
	if ctx.Err() != nil {
		return Result{}, "", ctx.Err()
	}
	script := choose(doc, parsed)
	text, links := plain(script), 0.0
	if body := bodyOf(doc); script == "" && body != nil {
		text, links = plain(r.write(prose.Read(body))), linkShare(body)
	}
	return Result{
		Text:      text,
		Links:     links,
		Format:    r.options.Format,
		Title:     field(meta.Title),
		Author:    field(meta.Author),
		Date:      day(meta.Date),
		Sitename:  field(meta.Sitename),
		Extractor: extractor,
	}, declared, nil
}

// write returns blocks in the form of the text.
func (r reader) write(blocks []prose.Block) string {
	if r.options.Format == Markdown {
		return prose.Markdown(blocks)
	}
	return prose.Plain(blocks)
}

// linkShare returns how many of the characters below n are in links, white space
// aside, from 0 to 1.
func linkShare(n *html.Node) float64 {
	all, linked := 0, 0
	var count func(n *html.Node, link bool)
	count = func(n *html.Node, link bool) {
		link = link || n.DataAtom == atom.A && attribute(n, "href") != ""
		if n.Type == html.TextNode {
			for word := range strings.FieldsSeq(n.Data) {
				characters := utf8.RuneCountInString(word)
				all += characters
				if link {
					linked += characters
				}
			}
		}
		for child := range n.ChildNodes() {
			count(child, link)
		}
	}
	count(n, false)
	return float64(linked) / float64(max(1, all))
}

// describe returns the data of a page on itself. The extractor looks for them before
// anything else and has no function for that alone, so it gets a page to choose from
// that is empty.
func describe(doc *html.Node, address *url.URL) trafilatura.Metadata {
	config := trafilatura.DefaultConfig()
	config.MinOutputSize = 0
	found, err := trafilatura.ExtractDocument(doc, trafilatura.Options{
		OriginalURL: address, ExcludeComments: true, PruneSelector: "body", Config: config,
	})
	if err != nil {
		return trafilatura.Metadata{}
	}
	return found.Metadata
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
