package lint

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

func TestDocument(t *testing.T) {
	header := func(contentType string) http.Header { return http.Header{"Content-Type": {contentType}} }
	const origin, rules = "https://shop.example", "User-agent: *\nDisallow: /x\n"
	tests := []struct {
		name     string
		document *robots.Document
		want     string // "line code severity"
	}{
		{"clean", &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: 200, Header: header("text/plain; charset=utf-8"), Body: []byte(rules)}, ""},
		{"redirected", &robots.Document{Origin: origin, FinalURL: "https://www.shop.example/robots.txt", Status: 200, Header: header("text/plain"), Body: []byte(rules)}, "0 redirected info"},
		{"other type", &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: 200, Header: header("text/html"), Body: []byte(rules)}, "0 content-type warning"},
		{"no type, and a fault in a line", &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: 200, Body: []byte(rules + "Disallow: /x\n")}, "0 content-type warning, 3 duplicate-rule info"},
		{"unavailable", &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: 404, Body: []byte("<html>")}, "0 status info"},
		{"unreachable", &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: 503, Body: []byte("<html>")}, ""},
		{"cut", &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Status: 200, Header: header("text/plain"), Body: []byte(rules), Truncated: true}, "3 too-long error"},
		{"local", &robots.Document{FinalURL: "draft.txt", Status: 200, Body: []byte(rules)}, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, f := range Document(test.document) {
				got = append(got, fmt.Sprintf("%d %s %s", f.Line, f.Code, f.Severity))
			}
			if got := strings.Join(got, ", "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}
