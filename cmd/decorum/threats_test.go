package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

// TestThreatsHaveTheirTests reads the table of docs/THREATS.md: each threat has
// tests, which exist, or a reason why it does not apply.
func TestThreatsHaveTheirTests(t *testing.T) {
	text, err := os.ReadFile("../../docs/THREATS.md")
	if err != nil {
		t.Fatal(err)
	}
	known := testNames(t, "../..")
	named := regexp.MustCompile("`((?:Test|Fuzz|Benchmark)[A-Za-z0-9]+)`")
	seen := map[string]bool{}
	for line := range strings.Lines(string(text)) {
		cells := strings.Split(line, "|")
		if len(cells) != 6 || strings.Contains(cells[1], "#") || strings.Contains(cells[1], "---") {
			continue
		}
		row, tests := strings.TrimSpace(cells[1]), strings.TrimSpace(cells[4])
		if seen[row] {
			t.Errorf("row %s: got it twice", row)
		}
		seen[row] = true
		found := named.FindAllStringSubmatch(tests, -1)
		for _, name := range found {
			if !known[name[1]] {
				t.Errorf("row %s: %s does not exist", row, name[1])
			}
		}
		reason, stated := strings.CutPrefix(tests, "none: ")
		switch {
		case len(found) == 0 && (!stated || len(reason) < 20):
			t.Errorf("row %s: got neither a test nor a reason", row)
		}
	}
	for n := 1; n <= 78; n++ {
		if !seen[strconv.Itoa(n)] {
			t.Errorf("row %d is missing", n)
		}
	}
	for n := 1; n <= 7; n++ {
		if !seen["I"+strconv.Itoa(n)] {
			t.Errorf("row I%d is missing", n)
		}
	}
}

// testNames returns the names of the test functions below a folder.
func testNames(t *testing.T, folder string) map[string]bool {
	t.Helper()
	function := regexp.MustCompile(`(?m)^func ((?:Test|Fuzz|Benchmark)[A-Za-z0-9]+)\(`)
	names := map[string]bool{}
	err := filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
		if err != nil || !strings.HasSuffix(path, "_test.go") {
			return err
		}
		text, err := os.ReadFile(path)
		for _, match := range function.FindAllStringSubmatch(string(text), -1) {
			names[match[1]] = true
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return names
}
