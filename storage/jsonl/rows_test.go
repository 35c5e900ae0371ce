package jsonl_test

import (
	"bufio"
	"errors"
	"io"
	"os"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/storage/jsonl"
)

type row struct {
	URL string `json:"url"`
}

func TestLineLeavesURLsAsTheyAre(t *testing.T) {
	if got, want := string(jsonl.Line(row{"/a?b&c=<d>"})), "{\"url\":\"/a?b&c=<d>\"}\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestDecodeContinuesAfterADamagedLine(t *testing.T) {
	var got []string
	for row, err := range jsonl.Decode[row](strings.NewReader("{\"url\":\"a\"}\nbroken\n{\"url\":\"b\"}")) {
		if err != nil {
			if !errors.Is(err, jsonl.ErrRow) || !strings.Contains(err.Error(), "line 2") {
				t.Errorf("got %v, want line 2 damaged", err)
			}
			continue
		}
		got = append(got, row.URL)
	}
	if diff := cmp.Diff(got, []string{"a", "b"}); diff != "" {
		t.Error(diff)
	}
}

func TestRows(t *testing.T) {
	root, err := os.OpenRoot(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	defer root.Close()
	for range jsonl.Rows[row](root, "none") {
		t.Error("got a row of a file that does not exist")
	}
	if err := root.WriteFile("rows", []byte("{}\n{}\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, err := range jsonl.Rows[row](root, "rows") {
		if n++; err != nil {
			t.Fatal(err)
		}
		break
	}
	if n != 1 {
		t.Errorf("got %d rows, want the loop to end", n)
	}
}

func TestLinesAreBounded(t *testing.T) {
	var last error
	for _, err := range jsonl.Lines(strings.NewReader(strings.Repeat("x", jsonl.MaxLine+1))) {
		last = err
	}
	if !errors.Is(last, bufio.ErrTooLong) {
		t.Errorf("got %v, want the line refused", last)
	}
}

func TestLinesEndBeforeAReadError(t *testing.T) {
	broken := errors.New("broken disk")
	var lines []string
	var fault error
	for line, err := range jsonl.Lines(io.MultiReader(strings.NewReader("{}\n{\"a\":"), iotest.ErrReader(broken))) {
		if err != nil {
			fault = err
			continue
		}
		lines = append(lines, string(line))
	}
	if !slices.Equal(lines, []string{"{}"}) || !errors.Is(fault, broken) {
		t.Errorf("got %q and %v, want one line and the error", lines, fault)
	}
}
