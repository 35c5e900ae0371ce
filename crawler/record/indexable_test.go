package record_test

import (
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/robots"
)

func TestIndexable(t *testing.T) {
	good := record.Page{URL: "https://shop.example/", Status: 200, ContentType: "text/html"}
	for want, change := range map[string]func(*record.Page){
		"":                    func(p *record.Page) { p.Canonical = p.URL },
		"no-answer":           func(p *record.Page) { p.Status, p.Error = 0, "timeout" },
		"redirected":          func(p *record.Page) { p.Status = 302 },
		"status-not-200":      func(p *record.Page) { p.Status = 203 },
		"robots-disallow":     func(p *record.Page) { p.Robots.Reason = robots.ReasonDisallowedByRule },
		"noindex":             func(p *record.Page) { p.NoIndex = true },
		"canonical-elsewhere": func(p *record.Page) { p.Canonical = "https://shop.example/b" },
		"content-type":        func(p *record.Page) { p.ContentType = "Application/JSON; charset=utf-8" },
	} {
		page := good
		change(&page)
		if got := page.Indexable(); got != want {
			t.Errorf("got %q, want %q of %+v", got, want, page)
		}
	}
}

func TestIndexableByContentType(t *testing.T) {
	for contentType, want := range map[string]string{
		"": "", " ": "", "; charset=utf-8": "", "TEXT/HTML; charset=utf-8": "", "application/xhtml+xml": "",
		"application/pdf": "", "text/plain ; charset=utf-8": "", "text/markdown": "",
		"image/png": "content-type", "text/css": "content-type", "application/xml": "content-type",
	} {
		if got := (record.Page{Status: 200, ContentType: contentType}).Indexable(); got != want {
			t.Errorf("got %q, want %q of Content-Type %q", got, want, contentType)
		}
	}
}

func TestLastChange(t *testing.T) {
	fetched := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	for text, want := range map[string]time.Time{
		"2025-12-31T00:00:00Z": time.Date(2025, 12, 31, 0, 0, 0, 0, time.UTC),
		"2026-01-02T03:04:05Z": fetched,
		"2026-01-02T03:04:06Z": {}, // in the future when it was fetched
		"":                     {},
		"yesterday":            {},
	} {
		if got := (record.Page{LastModified: text, FetchedAt: fetched}).LastChange(); !got.Equal(want) {
			t.Errorf("got %v, want %v of %q", got, want, text)
		}
	}
}
