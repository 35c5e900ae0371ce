package text

import (
	"strings"
	"testing"

	"golang.org/x/net/html"
)

func treeOf(t *testing.T, page string) *html.Node {
	t.Helper()
	doc, err := html.Parse(strings.NewReader(page))
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestTidyAndDisarm(t *testing.T) {
	doc := treeOf(t, `<meta name=author content="`+strings.Repeat("a", 2*maxMeta)+`">
<script type="application/ld+json">{"articleBody":"&lt;p>page in a page"}</script>
<script type="application/ld+json">{"a":[{"b":"\u003cp\u003epage in a page"}]}</script>
<script type="application/ld+json">{"name":"`+strings.Repeat("long ", maxJSON/5)+`"}</script>
<script type="application/ld+json">{"name":"kept, 1 < 2"}</script>
<h1>Title<a class="x headerlink" href=#>¶</a> <span class=mw-editsection>edit</span><a href=#>link</a></h1>
<p hidden>unseen</p><div hidden=until-found>found later</div><div style="overflow:hidden">clearfix</div><p style="color:red; DISPLAY : none ;">unseen</p><div popover>unseen</div><template><p>pattern</p></template><body hidden>`)
	tidy(doc)
	disarm(doc)
	var page strings.Builder
	if err := html.Render(&page, doc); err != nil {
		t.Fatal(err)
	}
	for _, gone := range []string{"page in a page", "long long", "¶", "edit<", "unseen", "pattern", "overflow", strings.Repeat("a", maxMeta+1)} {
		if strings.Contains(page.String(), gone) {
			t.Errorf("%.20q is still there", gone)
		}
	}
	for _, kept := range []string{"kept, 1 ", "Title", "link", "found later", "clearfix"} {
		if !strings.Contains(page.String(), kept) {
			t.Errorf("%q is gone", kept)
		}
	}
}

func TestMarkMain(t *testing.T) {
	long := "<h2>Heading</h2><p>" + strings.Repeat(sentence, 9) + "</p>"
	tests := []struct{ name, page, want string }{
		{"smallest block", "<div id=a><div id=b>" + long + "</div><div id=c>" + sentence + "</div></div>", "b"},
		{"not the links", "<div id=a><div id=b>" + long + "</div><div id=c><a>" + strings.Repeat(sentence, 20) + "</a></div></div>", "b"},
		{"two halves", "<div id=a><div id=b>" + long + "</div><div id=c>" + long + "</div></div>", "a"},
		{"names itself", "<main><div id=b>" + long + "</div></main>", ""},
		{"named by role", "<div role=main><div id=b>" + long + "</div></div>", ""},
		{"no block", long, ""},
		{"no text", "<div id=a></div>", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			doc := treeOf(t, test.page)
			markMain(doc)
			got := ""
			for n := range doc.Descendants() {
				if attribute(n, "role") == "main" {
					got = attribute(n, "id")
				}
			}
			if got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestEstimateNodes(t *testing.T) {
	tests := []struct {
		name, page string
		most       int
	}{
		{"plain", "<p>x<p>y", 5},
		{"formatting in order", strings.Repeat("<p><b>x</b></p>", 100), 401},
		{"one left open", "<b>" + strings.Repeat("<p>x</p>", 100), 500},
		{"the same one left open again", strings.Repeat("<b><p>x</p>", 100), 1000},
		{"attributes", "<p " + strings.Repeat("a ", 400) + ">", 105},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			weight, err := estimateNodes(t.Context(), []byte(test.page), 1<<20)
			nodes, _ := measure(treeOf(t, test.page))
			if err != nil || weight > test.most || weight+4 < nodes {
				t.Errorf("got %d (%v), want at most %d and at least about the %d of the tree", weight, err, test.most, nodes)
			}
		})
	}
}
