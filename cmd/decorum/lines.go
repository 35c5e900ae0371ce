package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
)

// newEncoder writes JSON Lines and leaves URLs as they are: it does not escape
// "&" and "<" as if for HTML.
func newEncoder(out io.Writer) *json.Encoder {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder
}

// readLines returns the lines of a file, without blank ones and comments.
func readLines(stdin io.Reader, name string) ([]string, error) {
	var lines []string
	err := eachListed(stdin, name, func(line string) error {
		lines = append(lines, line)
		return nil
	})
	return lines, err
}

// eachListed calls take for each line of a file, "-" for stdin, that is neither
// blank nor a comment.
func eachListed(stdin io.Reader, name string, take func(string) error) error {
	in := stdin
	if name != "-" {
		file, err := os.Open(name)
		if err != nil {
			return &commandError{code: exitIO, err: fmt.Errorf("read list: %w", err), hint: "name a readable file"}
		}
		defer file.Close()
		in = file
	}
	scanner := bufio.NewScanner(in)
	scanner.Buffer(nil, 1<<20)
	for scanner.Scan() {
		line := strings.TrimSpace(scanner.Text())
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
