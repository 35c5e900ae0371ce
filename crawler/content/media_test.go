package content_test

import (
	"testing"

	"github.com/decorum-crawler/decorum/crawler/content"
)

func TestIsHTML(t *testing.T) {
	for _, test := range []struct {
		contentType, body string
		is, may           bool
	}{
		{"text/html; charset=utf-8", "", true, true},
		{" TEXT/HTML", "", true, true},
		{"application/xhtml+xml", "", true, true},
		{"", "<!doctype html><p>", true, true},
		{"", "plain words", false, true},
		{"text/plain", "<html>", false, false},
		{"application/pdf", "", false, false},
	} {
		if got := content.IsHTML(test.contentType, []byte(test.body)); got != test.is {
			t.Errorf("IsHTML(%q, %q): got %v, want %v", test.contentType, test.body, got, test.is)
		}
		if got := content.MayBeHTML(test.contentType); got != test.may {
			t.Errorf("MayBeHTML(%q): got %v, want %v", test.contentType, got, test.may)
		}
	}
}
