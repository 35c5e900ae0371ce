package jsonl_test

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

func page(title string) record.Page {
	return record.Page{
		Schema: record.PageSchema, URL: "https://shop.example/products/outdoor/chair-4711?colour=green", Status: 200,
		FetchedAt: time.Date(2026, 1, 2, 3, 4, 5, 678, time.UTC), LastModified: "2025-12-31T00:00:00Z", ElapsedMS: 41, Bytes: 13_411,
		ContentType: "text/html; charset=utf-8", Digest: "sha256:" + strings.Repeat("0f", 32), Title: title, Depth: 3, Source: "link",
		Via: "https://shop.example/products/outdoor", Attempts: 1,
		Robots:   record.Robots{Reason: "allowed-by-rule", Rule: "Allow: /products", Line: 12, Digest: strings.Repeat("a0", 32)},
		Training: record.Training{Preference: "none"}, Signals: record.Signals{Directives: []string{}},
		Canonical: "https://shop.example/products/outdoor/chair-4711", Links: 84,
	}
}

// BenchmarkLine compares the encoding of a page record with that of encoding/json
// alone; the difference is what escaping costs.
func BenchmarkLine(b *testing.B) {
	for name, title := range map[string]string{"ASCII": "A green garden chair", "Latin": "Ein grüner Stuhl für den Garten – 49 €", "Japanese": "庭用の緑色の椅子", "Arabic": "كرسي حديقة أخضر"} {
		p := page(title)
		line := jsonl.Line(p)
		b.Run("escape/"+name, func(b *testing.B) {
			for b.Loop() {
				escape.JSON(line)
			}
		})
		b.Run("line/"+name, func(b *testing.B) {
			for b.Loop() {
				jsonl.Line(p)
			}
		})
		b.Run("plain/"+name, func(b *testing.B) {
			for b.Loop() {
				var out bytes.Buffer
				encoder := json.NewEncoder(&out)
				encoder.SetEscapeHTML(false)
				_ = encoder.Encode(p)
			}
		})
	}
}
