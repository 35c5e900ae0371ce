package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// PDF is the program that reads PDF files: pdftotext of Poppler. It gets a file on its
// standard input and runs as a process of its own, beside the one that reads pages; it
// is killed when it is late.
type PDF struct {
	Program string // path; empty: PDF files are not read
	Version string
}

// FindPDF finds the program and its version. The error is [exec.ErrNotFound] if it is
// not installed.
func FindPDF(ctx context.Context) (PDF, error) {
	program, err := exec.LookPath("pdftotext")
	if err != nil {
		return PDF{}, fmt.Errorf("find pdftotext: %w", err)
	}
	said, err := exec.CommandContext(ctx, program, "-v").CombinedOutput()
	if err != nil {
		return PDF{}, fmt.Errorf("find the version of %s: %w", program, err)
	}
	first, _, _ := strings.Cut(string(said), "\n")
	return PDF{program, strings.TrimSpace(strings.TrimPrefix(first, "pdftotext version "))}, nil
}

// pdf returns the document in a PDF file. Its lines are those of the file.
func (r reader) pdf(ctx context.Context, body []byte) (Result, error) {
	// A parent kills this process at the deadline, and would leave the program behind.
	ctx, cancel := context.WithTimeout(ctx, r.options.Deadline*9/10)
	defer cancel()
	command := exec.CommandContext(ctx, r.options.PDF.Program, "-q", "-enc", "UTF-8", "-eol", "unix", "-nopgbrk", "-", "-")
	command.Stdin = bytes.NewReader(body)
	text := &limited{most: r.options.MaxBytes, stop: cancel}
	complaint := &limited{most: 1 << 10}
	command.Stdout, command.Stderr = text, complaint
	err := command.Run()
	switch {
	case text.full:
		return Result{}, &Error{Reason: ReasonTooLarge, Err: fmt.Errorf("more than %d bytes of text", r.options.MaxBytes)}
	case ctx.Err() != nil:
		return Result{}, context.DeadlineExceeded
	case err != nil:
		return Result{}, &Error{Reason: ReasonPDF, Err: fmt.Errorf("%w: %s", err, strings.TrimSpace(complaint.String()))}
	}
	utf8 := strings.ToValidUTF8(text.String(), "\uFFFD")
	return finish(Result{
		Text: plain(utf8), Format: Plain, Extractor: strings.TrimSpace("pdftotext " + r.options.PDF.Version),
		Charset: content.Charset{Name: "utf-8", Source: "pdftotext"},
	}, "")
}

// limited keeps the first bytes that are written to it and refuses more.
type limited struct {
	bytes.Buffer

	most int
	full bool
	stop func() // called when there is more; nil: more is dropped
}

var errFull = errors.New("text: output is larger than allowed")

// Write implements io.Writer.
func (l *limited) Write(p []byte) (int, error) {
	if l.Len()+len(p) <= l.most {
		return l.Buffer.Write(p)
	}
	l.full = true
	if l.stop == nil {
		return len(p), nil
	}
	l.stop()
	return 0, errFull
}

// ReadFrom hides that of bytes.Buffer, which has no limit.
func (l *limited) ReadFrom(r io.Reader) (int64, error) {
	return io.Copy(struct{ io.Writer }{l}, r)
}
