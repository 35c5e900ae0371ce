package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/transform"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// newEncoder returns an encoder for JSON Lines that leaves URLs as they are.
func newEncoder(out io.Writer) *json.Encoder { return escape.Encoder(out) }

// readLines returns the lines of a file without blank lines and comments; see
// eachListed.
func readLines(stdin io.Reader, name string) ([]string, error) {
	var lines []string
	err := eachListed(stdin, name, func(line string) error {
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

// eachListed calls take for each line of a file that is neither blank nor a
// comment. The name "-" means stdin.
func eachListed(stdin io.Reader, name string, take func(string) error) error {
	in := stdin
	if name != "-" {
		file, err := openInput(name)
		if err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("read list: %w", err), hint: "name a readable file"}
		}
		defer file.Close()
		in = file
	}
	scanner := bufio.NewScanner(transform.NewReader(in, unicode.BOMOverride(transform.Nop))) // as editors of Windows write
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := strings.TrimSpace(strings.TrimPrefix(scanner.Text(), "\ufeff")) // of lists that were joined
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		if err := take(line); err != nil {
			return err
		}
	}
	if err := scanner.Err(); err != nil {
		return &commandError{code: exitIO, err: fmt.Errorf("read list %s: %w", name, err)}
	}
	return nil
}
