package sitemap

import (
	"bytes"
	"errors"
	"io"
)

// scanSize is the size of the window on the text. A tag that is longer is broken.
const scanSize = 64 << 10

// scanner is a window that moves over the text.
type scanner struct {
	source     io.Reader
	buffer     []byte
	start, end int   // what is unread
	before     int64 // bytes of text before the buffer
	lines      int   // line ends before counted
	counted    int   // in the buffer
	lineEnd    byte
	err        error
}

func newScanner(source io.Reader) *scanner {
	return &scanner{source: source, buffer: make([]byte, scanSize), lineEnd: '\n'}
}

// fill moves the unread part to the front and reads more. It reports whether
// there is more than before.
func (s *scanner) fill() bool {
	if s.err != nil {
		return false
	}
	if s.start > 0 {
		s.line()
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

// peek returns up to n unread bytes.
func (s *scanner) peek(n int) []byte {
	for s.end-s.start < n && s.fill() {
	}
	return s.buffer[s.start:min(s.end, s.start+n)]
}

// learnLineEnd determines from the first n bytes whether lines end in CR alone.
func (s *scanner) learnLineEnd(n int) {
	if head := s.peek(n); bytes.IndexByte(head, '\n') < 0 && bytes.IndexByte(head, '\r') >= 0 {
		s.lineEnd = '\r'
	}
}

func (s *scanner) skip(n int) { s.start += n }

func (s *scanner) offset() int64 { return s.before + int64(s.start) }

// place is a position in the decoded text.
type place struct {
	line   int // 1-based
	offset int64
}

// place returns the position of the next byte.
func (s *scanner) place() place { return place{s.line(), s.offset()} }

// line returns the line of the next byte, 1-based.
func (s *scanner) line() int {
	if s.counted < s.start {
		s.lines += bytes.Count(s.buffer[s.counted:s.start], []byte{s.lineEnd})
		s.counted = s.start
	}
	return s.lines + 1
}

// failed returns the error of the stream, or nil at its proper end.
func (s *scanner) failed() error {
	if s.err == nil || errors.Is(s.err, io.EOF) {
		return nil
	}
	return endOfStream(s.err)
}

// text calls take with everything up to the next "<", in pieces, and stops
// there. It reports false if the text ends first. take may be nil.
func (s *scanner) text(take func([]byte)) bool {
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
		if !s.fill() {
			return false
		}
	}
}

// tag returns the text between "<" and ">" and moves past it. A ">" inside quotes
// does not end a tag. A "<", which XML forbids in a tag, does: the state is then
// tagBroken, and that "<" is next. It is tagCut if the text ends first, and
// tagLong if the tag does not fit the window and was skipped.
func (s *scanner) tag() (inside []byte, state tagState) {
	at, quote := 1, byte(0)
	for {
		window := s.buffer[s.start:s.end]
		for ; at < len(window); at++ {
			switch c := window[at]; {
			case c == '<':
				s.start += at
				return window[1:at], tagBroken
			case quote != 0:
				if c == quote {
					quote = 0
				}
			case c == '>':
				s.start += at + 1
				return window[1:at], tagWhole
			case c == '"' || c == '\'':
				quote = c
			}
		}
		if len(window) == len(s.buffer) {
			if !s.until(">") {
				return nil, tagCut
			}
			return nil, tagLong
		}
		if !s.fill() && s.end-s.start == len(window) {
			s.start = s.end
			return nil, tagCut
		}
	}
}

// tagState tells how the reading of a tag ended.
type tagState int

const (
	tagWhole  tagState = iota
	tagBroken          // another tag begins inside it
	tagLong            // it was skipped
	tagCut             // the text ended in it
)

// until moves past the next mark, which is short. It reports whether there was
// one.
func (s *scanner) until(mark string) bool { return s.collect(mark, nil) }

// collect calls take with everything up to the next mark, in pieces, and moves
// past it.
func (s *scanner) collect(mark string, take func([]byte)) bool {
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
		if !s.fill() {
			s.start = s.end
			return false
		}
	}
}

// textLine returns the next line of a list, without its end. long reports that
// it has more than limit bytes and was skipped.
func (s *scanner) textLine(limit int) (line []byte, long bool, err error) {
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
		if !s.fill() {
			rest := s.buffer[s.start:s.end]
			s.start = s.end
			if s.err == nil {
				continue
			}
			return rest, long, s.err
		}
	}
}
