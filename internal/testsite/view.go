package testsite

import (
	"html"
	"strings"
)

// view holds the parts that differ between the pages of a shop.
type view struct {
	title, description, robots string
	body                       string // HTML
}

// render returns the whole page, whose canonical is path on the shop's site.
func (s *shop) render(path string, v view) string {
	var b strings.Builder
	title := html.EscapeString(v.title)
	b.WriteString("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n<title>" + title + "</title>\n")
	if v.description == "" {
		v.description = v.title + " at Harbour Street Goods."
	}
	b.WriteString(`<meta name="description" content="` + html.EscapeString(v.description) + "\">\n")
	if v.robots != "" {
		b.WriteString(`<meta name="robots" content="` + v.robots + "\">\n")
	}
	b.WriteString(`<link rel="canonical" href="` + html.EscapeString(s.site.URL()+path) + "\">\n</head>\n<body>\n")
	b.WriteString("<nav>\n" + list([]string{
		link("/", "Home"), link("/products/", "Products"), link("/articles/", "Journal"),
		link("/search?q=lamp", "Search"), link("/checkout/cart", "Cart"),
	}) + "</nav>\n")
	b.WriteString("<main>\n<h1>" + title + "</h1>\n" + v.body + "</main>\n")
	b.WriteString("<footer><p>Harbour Street Goods, open every day but Monday.</p></footer>\n</body>\n</html>\n")
	return b.String()
}

func link(path, text string) string {
	return `<a href="` + html.EscapeString(path) + `">` + html.EscapeString(text) + "</a>"
}

func list(links []string) string {
	var b strings.Builder
	b.WriteString("<ul>\n")
	for _, l := range links {
		b.WriteString("<li>" + l + "</li>\n")
	}
	b.WriteString("</ul>\n")
	return b.String()
}
