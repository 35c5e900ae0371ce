package content_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestParseLinks(t *testing.T) {
	type params = map[string]string
	for _, test := range []struct {
		line string
		want []content.Link
	}{
		{`</i.png>; rel=image_src, </a>; rel="canonical"`, []content.Link{{"/i.png", params{"rel": "image_src"}}, {"/a", params{"rel": "canonical"}}}},
		{`< /a,b;c > ; REL = "next  prev"; rel=last; title="x, y; z"`, []content.Link{{"/a,b;c", params{"rel": "next  prev", "title": "x, y; z"}}}},
		{`</a>`, []content.Link{{"/a", params{}}}},
		{`</a>; rel="open, </b>`, []content.Link{{"/a", params{"rel": "open, </b>"}}}},
		{`/a; rel=canonical`, nil},
		{`<`, nil},
		{``, nil},
	} {
		if diff := cmp.Diff(test.want, content.ParseLinks(test.line, 10)); diff != "" {
			t.Errorf("%s: got +, want -:\n%s", test.line, diff)
		}
	}
	if got := content.ParseLinks("<a>,<b>,<c>", 2); len(got) != 2 {
		t.Errorf("got %d links, want the limit", len(got))
	}
	if l := content.ParseLinks(`</a>; rel="NEXT Last"`, 1)[0]; !l.Rel("next") || !l.Rel("last") || l.Rel("nex") {
		t.Errorf("got the relations of %v", l)
	}
}

func FuzzParseLinks(f *testing.F) {
	f.Add(`</a,b>; rel="next; x", <c>`)
	f.Fuzz(func(t *testing.T, line string) {
		if got := content.ParseLinks(line, 5); len(got) > 5 {
			t.Errorf("got %d links, want 5 at most", len(got))
		}
	})
}
