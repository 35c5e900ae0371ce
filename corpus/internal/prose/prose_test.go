package prose_test

import (
	"strings"
	"testing"

	"golang.org/x/net/html"

	"github.com/decorum-crawler/decorum/corpus/internal/prose"
)

func TestForms(t *testing.T) {
	for _, test := range []struct{ name, page, plain, markdown string }{
		{"paragraphs", "<p>One\n two<p>three", "One two\n\nthree", "One two\n\nthree"},
		{"line ends", "<p>dawn,<br>the wall", "dawn,\nthe wall", "dawn,  \nthe wall"},
		{"heading", "<h2>Use</h2>text", "Use\n\ntext", "## Use\n\ntext"},
		{"styles", "<p>a <b>b</b> and <code>c*</code>", "a b and c*", "a **b** and `c*`"},
		{"code", "<pre>if x:\n\treturn\n\n\ty()</pre>", "if x:\n\treturn\n\n\ty()", "```\nif x:\n\treturn\n\n\ty()\n```"},
		{"list in a list", "<ul><li>a<ul><li>b</ul><li>c</ul>", "- a\n  - b\n- c", "- a\n  - b\n- c"},
		{"numbers", "<ol start=3><li>a<li>b</ol>", "3. a\n4. b", "3. a\n4. b"},
		{"table", "<table><tr><th>Flag<th>Ships<tr><td>Red<td>4</table>", "Flag\tShips\nRed\t4", "| Flag | Ships |\n| --- | --- |\n| Red | 4 |"},
		{"cells over two columns", "<table><tr><td colspan=2>a<td>b<tr><td>c<td>d<td>e</table>", "a\t\tb\nc\td\te", ""},
		{"question", "<details><summary>May I?</summary><p>Yes.</details>", "May I?\n\nYes.", ""},
		{"Japanese over two lines", "<p>東京は\n日本の首都", "東京は日本の首都", "東京は日本の首都"},
		{"reading of a word", "<p><ruby>漢字<rp>(</rp><rt>かんじ</rt><rp>)</rp></ruby>を", "漢字（かんじ）を", ""},
		{"blocks without a blank", "<div>a</div><div>b</div>", "a\n\nb", "a\n\nb"},
		{"indices", "<p>H<sub>2</sub>O", "H₂O", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			page, err := html.Parse(strings.NewReader(test.page))
			if err != nil {
				t.Fatal(err)
			}
			blocks := prose.Read(page)
			if got := prose.Plain(blocks); got != test.plain {
				t.Errorf("got plain %q, want %q", got, test.plain)
			}
			if got := prose.Markdown(blocks); test.markdown != "" && got != test.markdown {
				t.Errorf("got Markdown %q, want %q", got, test.markdown)
			}
		})
	}
}
