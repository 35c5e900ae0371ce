package text

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// Files of text are documents as they are; feeds are none.
func TestExtractFiles(t *testing.T) {
	const source = "# Salt *for* the quay\n\n- one ship\n- no cargo"
	for _, form := range []Format{Plain, Markdown} {
		p := closing(t, Options{Format: form})
		for _, test := range []struct {
			url, kind, body string
			format          Format
			title           string
			reason          Reason
		}{
			{"https://e.example/a", "text/markdown; charset=utf-8", source, Markdown, "Salt *for* the quay", ""},
			{"https://e.example/a", "text/x-markdown", source, Markdown, "Salt *for* the quay", ""},
			{"https://e.example/README.MD?raw=1", "text/plain", source, Markdown, "Salt *for* the quay", ""},
			{"https://e.example/a.txt", "text/plain", source, Plain, "", ""},
			{"https://e.example/feed", "text/plain", "\n<?xml version='1.0'?><rss><channel><title>News</title></channel></rss>", "", "", ReasonNotText},
			{"https://e.example/feed", "application/rss+xml", "<rss><channel><title>News</title></channel></rss>", "", "", ReasonNotText},
			{"https://e.example/a.pdf", "application/pdf", "%PDF-1.4", "", "", ReasonNotText},
		} {
			got, err := p.Extract(t.Context(), Page{URL: test.url, ContentType: test.kind, Body: []byte(test.body)})
			if reasonOf(err) != test.reason || got.Format != test.format || got.Title != test.title || err == nil && got.Text != source {
				t.Errorf("%s as %s: got %+v, %v", test.url, test.kind, got, err)
			}
		}
	}
}

func findPDF(t *testing.T) PDF {
	t.Helper()
	program, err := FindPDF(t.Context())
	if err != nil && os.Getenv("DECORUM_CI") == "" {
		t.Skip(err)
	}
	if err != nil {
		t.Fatal(err)
	}
	return program
}

func TestExtractPDF(t *testing.T) {
	program := findPDF(t)
	good, err := os.ReadFile("testdata/harbour.pdf")
	if err != nil {
		t.Fatal(err)
	}
	p := withChildren(t, Options{PDF: program})
	got, err := p.Extract(t.Context(), Page{URL: "https://e.example/a.pdf", ContentType: "application/pdf", Body: good})
	if err != nil || !strings.Contains(got.Text, "The harbour in winter\n") || !strings.Contains(got.Text, "with what cargo.") ||
		got.Format != Plain || got.Extractor != "pdftotext "+program.Version || program.Version == "" || got.Language != "en" {
		t.Errorf("got %+v, %v", got, err)
	}
	for name, body := range map[string][]byte{
		"cut": good[:40], "no PDF": []byte("hello"), "noise": append([]byte("%PDF-1.4\n"), noise(4096)...),
	} {
		if _, err := p.Extract(t.Context(), Page{ContentType: "application/pdf", Body: body}); reasonOf(err) != ReasonPDF {
			t.Errorf("%s: got %v", name, err)
		}
	}
}

// A program that runs on or writes without end is stopped.
func TestExtractPDFStops(t *testing.T) {
	for name, test := range map[string]struct {
		script string
		want   Reason
	}{
		"runs on": {"exec sleep 100", ReasonDeadline}, "writes on": {"exec yes", ReasonTooLarge}, "fails": {"echo damaged >&2; exit 3", ReasonPDF},
		"no text": {"cat >/dev/null", ReasonEmpty},
	} {
		program := filepath.Join(t.TempDir(), "pdftotext")
		if err := os.WriteFile(program, []byte("#!/bin/sh\n"+test.script+"\n"), 0o700); err != nil { //nolint:gosec // it is a program
			t.Fatal(err)
		}
		p := closing(t, Options{PDF: PDF{Program: program}, Deadline: 2 * time.Second})
		_, err := p.Extract(t.Context(), Page{ContentType: "application/pdf", Body: bytes.Repeat([]byte("x"), 1<<20)})
		if reasonOf(err) != test.want {
			t.Errorf("%s: got %v, want %s", name, err, test.want)
		}
	}
}
