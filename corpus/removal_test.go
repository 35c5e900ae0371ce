package corpus_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/record"
)

// TestPurgeTakesTitles has page records of two versions, and a first attempt that
// fails.
func TestPurgeTakesTitles(t *testing.T) {
	const address = "https://farm.example/a"
	id := corpus.DocumentID(address, day(1))
	line := string(record.Page{Schema: "decorum.page/1", URL: address, FetchedAt: day(1), Title: `a "secret", é\`, Robots: record.Robots{Rule: `"title": x`}}.Record().Data)
	other := string(record.Page{URL: "https://farm.example/b", FetchedAt: day(1), Title: "stays"}.Record().Data)
	for name, page := range map[string]string{
		"today":                     line,
		"without a field of today":  strings.Replace(line, `"last_modified":"",`, "", 1),
		"with a field of a newer":   strings.Replace(line, `"schema"`, `"new":[1],"schema"`, 1),
		"with the title at the end": strings.Replace(strings.Replace(line, `"title":"a \"secret\", é\\",`, "", 1), "}\n", `,"title":"secret"}`+"\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			root := openFolder(t)
			writeRows(t, root, corpus.JournalName, corpus.Document{ID: id, Text: strings.Repeat("text ", 40), URL: address})
			if err := root.WriteFile("pages.jsonl", []byte(page+other), 0o600); err != nil {
				t.Fatal(err)
			}
			removals := []corpus.Removal{{ID: id, URL: address}}
			if err := root.Mkdir(".pages.jsonl.new", 0o700); err != nil { // prevents writing the file
				t.Fatal(err)
			}
			if _, err := corpus.Purge(root, "pages.jsonl", removals, nil); err == nil {
				t.Error("got no error of a file that cannot be written")
			}
			if err := root.Remove(".pages.jsonl.new"); err != nil {
				t.Fatal(err)
			}
			if _, err := corpus.Purge(root, "pages.jsonl", removals, nil); err != nil {
				t.Error(err)
			}
			got, err := root.ReadFile("pages.jsonl")
			if err != nil || strings.Contains(string(got), "secret") || len(got) != len(page+other) || !strings.HasSuffix(string(got), other) {
				t.Errorf("got %s, %v", got, err)
			}
			var was, is map[string]any
			line, _, _ := strings.Cut(string(got), "\n")
			if json.Unmarshal([]byte(page), &was) != nil || json.Unmarshal([]byte(line), &is) != nil || is["title"] != "" || len(is) != len(was) {
				t.Errorf("got %s, want only the title gone from %s", line, page)
			}
			if journal, err := root.ReadFile(corpus.JournalName); err != nil || strings.Contains(string(journal), "text text") {
				t.Errorf("got %s, %v", journal, err)
			}
		})
	}
}

func TestRemovalsOfOneSecond(t *testing.T) {
	root := openFolder(t)
	var names []string
	for i := range 3 {
		name, err := corpus.WriteRemovals(root, day(1), []corpus.Removal{{ID: string(rune('a' + i))}})
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, name)
	}
	files, err := corpus.RemovalFiles(root)
	if err != nil || strings.Join(files, " ") != strings.Join(names, " ") {
		t.Errorf("got %v, %v, want %v", files, err, names)
	}
	if pending, err := corpus.PendingRemovals(root); err != nil || len(pending) != 3 {
		t.Errorf("got %v, %v", pending, err)
	}
}
