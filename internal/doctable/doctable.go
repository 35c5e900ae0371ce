// Package doctable holds the tables of documents against the tests that show what
// their rows say.
package doctable

import (
	"os"
	"strings"
	"testing"
)

// Check wants that the tables below a heading of the second level in a Markdown file
// name in their first column the keys of rows, and nothing else.
func Check[T any](t *testing.T, file, heading string, rows map[string]T) {
	t.Helper()
	data, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	_, section, ok := strings.Cut(string(data), "\n## "+heading+"\n")
	if !ok {
		t.Fatalf("%s has no section %q", file, heading)
	}
	section, _, _ = strings.Cut(section, "\n## ")
	listed := names(section)
	for name := range listed {
		if _, ok := rows[name]; !ok {
			t.Errorf("%s has %q, which no test shows", file, name)
		}
	}
	for name := range rows {
		if !listed[name] {
			t.Errorf("%s does not list %q", file, name)
		}
	}
}

// names returns the first cells of the rows of tables, without those above a line of
// dashes.
func names(section string) map[string]bool {
	found, last := map[string]bool{}, ""
	for line := range strings.Lines(section) {
		cell, _, ok := strings.Cut(strings.TrimPrefix(line, "| "), " | ")
		switch {
		case strings.HasPrefix(line, "|---"):
			delete(found, last)
		case ok && strings.HasPrefix(line, "| "):
			found[cell], last = true, cell
		}
	}
	return found
}
