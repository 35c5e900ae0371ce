package robots

import (
	"errors"
	"strings"
	"testing"
	"testing/iotest"
)

func TestReadLocal(t *testing.T) {
	document, err := ReadLocal("draft.txt", strings.NewReader("User-agent: *\nDisallow: /a\n"))
	if err != nil || document.Truncated || document.FinalURL != "draft.txt" || document.Class() != ClassAvailable {
		t.Fatalf("got %+v, %v", document, err)
	}
	if got := document.Check("decorum", "/a"); got.Allowed || got.Rule.Line != 2 {
		t.Errorf("got %+v, want disallowed by line 2", got)
	}
}

// endless is a text that never ends, as that of a device.
type endless struct{ read int }

func (e *endless) Read(p []byte) (int, error) {
	n := copy(p, strings.Repeat("Disallow: /a\n", 1+len(p)/13))
	e.read += n
	return n, nil
}

func TestReadLocalIsBounded(t *testing.T) {
	in := &endless{}
	document, err := ReadLocal("endless", in)
	if err != nil || !document.Truncated || in.read > MaxBytes+1 {
		t.Fatalf("got %d bytes read, truncated %v, %v", in.read, document.Truncated, err)
	}
	if n := len(document.Body); n > MaxBytes || document.Body[n-1] != '\n' {
		t.Errorf("got %d bytes, want at most %d in whole lines", n, MaxBytes)
	}
}

func TestReadLocalTellsErrors(t *testing.T) {
	failure := errors.New("no such device")
	if _, err := ReadLocal("x", iotest.ErrReader(failure)); !errors.Is(err, failure) {
		t.Errorf("got %v, want %v", err, failure)
	}
}
