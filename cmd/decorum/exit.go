package main

import (
	"errors"
	"fmt"
	"io"
	"strings"
)

// Exit codes; scripts outside rely on them.
const (
	exitOK       = 0
	exitFindings = 1
	exitUsage    = 2
	exitNothing  = 3
	exitIO       = 4
)

// errFindings ends a command that did its work and found something.
var errFindings = errors.New("findings")

// commandError carries an exit code and what the user can do next.
type commandError struct {
	code int
	err  error
	hint string
}

func (e *commandError) Error() string { return e.err.Error() }
func (e *commandError) Unwrap() error { return e.err }

func usageError(err error, hint string) error {
	return &commandError{code: exitUsage, err: err, hint: hint}
}

// report writes an error for a person and gives its exit code. Errors without
// a code of their own come from the flag parser, so they are usage errors.
func report(stderr io.Writer, err error) int {
	if err == nil {
		return exitOK
	}
	if errors.Is(err, errFindings) {
		return exitFindings
	}
	code, hint := exitUsage, "run decorum help"
	if failed, ok := errors.AsType[*commandError](err); ok {
		code, hint = failed.code, failed.hint
	}
	fmt.Fprintf(stderr, "decorum: error: %s\n", safe(err.Error()))
	if hint != "" {
		fmt.Fprintf(stderr, "decorum: hint: %s\n", safe(hint))
	}
	return code
}

// safe makes text from elsewhere harmless for a terminal: control characters
// (but newline and tab) and bidirectional overrides become \uXXXX.
func safe(text string) string {
	if !strings.ContainsFunc(text, unsafeRune) {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if unsafeRune(r) {
			fmt.Fprintf(&b, "\\u%04X", r)
		} else {
			b.WriteRune(r)
		}
	}
	return b.String()
}

func unsafeRune(r rune) bool {
	switch {
	case r == '\n' || r == '\t':
		return false
	case r < 0x20 || r >= 0x7f && r <= 0x9f:
		return true
	case r == 0x061c || r == 0x200e || r == 0x200f || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069:
		return true
	}
	return false
}
