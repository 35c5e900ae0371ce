package markup

import (
	"bytes"
	"errors"
	"io"
)

// WindowSize is the size of the window on the text. A tag that is longer is broken.
const WindowSize = 64 << 10

// A Scanner is a window that moves over the text. It is not safe for concurrent
// use. The bytes that its methods return are valid until the next call of one that
// reads more.
type Scanner struct {
	source     io.Reader
	buffer     []byte
	start, end int   // what is unread
	before     int64 // bytes of text before the buffer
	lines      int   // line ends before counted
	counted    int   // in the buffer
	lineEnd    byte
	err        error
}

// NewScanner returns a Scanner of a text.
func NewScanner(source io.Reader) *Scanner {
	return &Scanner{source: source, buffer: make([]byte, WindowSize), lineEnd: '\n'}
}

// Fill moves the unread part to the front and reads more. It reports whether
// there is more than before.
func (s *Scanner) Fill() bool {
	if s.err != nil {
		return false
	}
	if s.start > 0 {
		s.Line()
		s.before += int64(s.start)
		copy(s.buffer, s.buffer[s.start:s.end])
		s.end -= s.start
		s.start, s.counted = 0, 0
	}
	if s.end == len(s.buffer) {
		return false
	}
	for range 100 {
		var n int
		n, s.err = s.source.Read(s.buffer[s.end:])
		s.end += n
		if n > 0 {
			return true
		}
		if s.err != nil {
			return false
		}
	}
	s.err = io.ErrNoProgress
	return false
}

// Peek returns up to n unread bytes.
func (s *Scanner) Peek(n int) []byte {
	for s.end-s.start < n && s.Fill() {
	}
	return s.buffer[s.start:min(s.end, s.start+n)]
}

// LearnLineEnd determines from the first n bytes whether lines end in CR alone.
func (s *Scanner) LearnLineEnd(n int) {
	if head := s.Peek(n); bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		s.lineEnd = '\r'
	}
}

// Skip moves past n bytes, which are in the window.
func (s *Scanner) Skip(n int) { s.start += n }

// Offset returns the place of the next byte in the text.
func (s *Scanner) Offset() int64 { return s.before + int64(s.start) }

// A Place is a position in the text.
type Place struct {
	Line   int   // 1-based
	Offset int64 // in bytes
}

// Place returns the position of the next byte.
func (s *Scanner) Place() Place { return Place{s.Line(), s.Offset()} }

// Line returns the line of the next byte, 1-based.
func (s *Scanner) Line() int {
	if s.counted < s.start {
		s.lines += bytes.Count(s.buffer[s.counted:s.start], []byte{s.lineEnd})
		s.counted = s.start
	}
	return s.lines + 1
}

// Err returns the error of the stream, or nil at its proper end.
func (s *Scanner) Err() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return nil
	}
	return s.err
}

// Window returns the unread part of the window.
func (s *Scanner) Window() []byte { return s.buffer[s.start:s.end] }

// Size returns the bytes of text that were read from the source so far.
func (s *Scanner) Size() int64 { return s.before + int64(s.end) }

// Drain reads the rest of the source.
func (s *Scanner) Drain() {
	for s.start = s.end; s.Fill(); s.start = s.end {
	}
}

// Text calls take with everything up to the next "<", in pieces, and stops
// there. It reports false if the text ends first. take may be nil.
func (s *Scanner) Text(take func([]byte)) bool {
	for {
		window := s.buffer[s.start:s.end]
		at := bytes.IndexByte(window, '<') //nolint:modernize // the place is needed, not the rest
		piece := window
		if at >= 0 {
			piece = window[:at]
		}
		if take != nil && len(piece) > 0 {
			take(piece)
		}
		s.start += len(piece)
		if at >= 0 {
			return true
		}
		if !s.Fill() {
			return false
		}
	}
}

// Tag returns the text between "<" and ">" and moves past it. A ">" inside quotes
// does not end a tag. A "<", which XML forbids in a tag, does: the state is then
// TagBroken, and that "<" is next. It is TagCut if the text ends first, and
// TagLong if the tag does not fit the window and was skipped.
func (s *Scanner) Tag() (inside []byte, state TagState) {
	at, quote := 1, byte(0)
	for {
		window := s.buffer[s.start:s.end]
		for ; at < len(window); at++ {
			switch c := window[at]; {
			case c == '<':
				s.start += at
				return window[1:at], TagBroken
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '>':
				s.start += at + 1
				return window[1:at], TagWhole
			case c == '"' || c == '\'':
				quote = c
			}
		}
		if len(window) == len(s.buffer) {
			if !s.Until(">") {
				return nil, TagCut
			}
			return nil, TagLong
		}
		if !s.Fill() && s.end-s.start == len(window) {
			s.start = s.end
			return nil, TagCut
		}
	}
}

// A TagState tells how the reading of a tag ended.
type TagState int

// The states.
const (
	TagWhole  TagState = iota
	TagBroken          // another tag begins inside it
	TagLong            // it was skipped
	TagCut             // the text ended in it
)

// Until moves past the next mark, which is short. It reports whether there was
// one.
func (s *Scanner) Until(mark string) bool { return s.Collect(mark, nil) }

// Collect calls take with everything up to the next mark, in pieces, and moves
// past it.
func (s *Scanner) Collect(mark string, take func([]byte)) bool {
	for {
		window := s.buffer[s.start:s.end]
		at := bytes.Index(window, []byte(mark)) //nolint:modernize // the place is needed, not the rest
		piece := window[:max(0, len(window)-len(mark)+1)]
		if at >= 0 {
			piece = window[:at]
		}
		if take != nil && len(piece) > 0 {
			take(piece)
		}
		s.start += len(piece)
		if at >= 0 {
			s.start += len(mark)
			return true
		}
		if !s.Fill() {
			s.start = s.end
			return false
		}
	}
}

// TextLine returns the next line of a list, without its end. long reports that
// it has more than limit bytes and was skipped.
func (s *Scanner) TextLine(limit int) (line []byte, long bool, err error) {
	for {
		window := s.buffer[s.start:s.end]
		at := bytes.IndexByte(window, s.lineEnd)
		switch {
		case at >= 0:
			s.start += at + 1
			return window[:at], long || at > limit, nil
		case len(window) > limit+2:
			long = true
			s.start = s.end
		}
		if !s.Fill() {
			rest := s.buffer[s.start:s.end]
			s.start = s.end
			if s.err == nil {
				continue
			}
			return rest, long, s.err
		}
	}
}
