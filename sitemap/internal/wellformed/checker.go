// Package wellformed checks a stream of UTF-8 text against the grammar of XML 1.0
// and of Namespaces in XML 1.0. It finds the first fault, as a parser does.
//
// Memory is bounded, so a document with longer tags or deeper elements than the
// limits of this package is at fault as well. A DOCTYPE ends the check without a
// fault: what it declares is not read.
package wellformed

import "bytes"

// A Part is the part of a document in which a fault is.
type Part int

// The parts.
const (
	Prolog  Part = iota // before the root element
	Content             // in the root element
	Epilog              // after it
	End                 // the text ends too early
)

// A Fault is why a document is not well-formed.
type Fault struct {
	Line    int   // 1-based
	Offset  int64 // in bytes
	Part    Part
	Message string
}

const (
	maxTag        = 64 << 10 // bytes of a tag
	maxName       = 1 << 10  // bytes of a name
	maxReference  = 64       // bytes of a reference
	maxDepth      = 256      // open elements
	maxAttributes = 256      // of a tag
	maxBindings   = 256      // namespaces in scope
)

// mode is what the next byte belongs to.
type mode int

const (
	inText mode = iota
	inComment
	inCDATA
	inInstruction
)

// unfinished are the messages on a text that ends in a mode.
var unfinished = [...]string{
	inComment: "the text ends inside a comment", inCDATA: "the text ends inside a CDATA section",
	inInstruction: "the text ends inside a processing instruction",
}

// A Checker checks the text that is written to it. The zero value is ready. It is
// not safe for concurrent use.
type Checker struct {
	fault   *Fault
	done    bool // a fault or a DOCTYPE ends the check
	data    []byte
	at      int    // in data
	final   bool   // data ends the text
	pending []byte // what is left of data, for the next write

	offset  int64 // of data
	feeds   int   // LF before data
	returns int   // CR before data, as long as there is no LF

	mode          mode
	open          []string // names of the open elements
	rooted, ended bool
	bound         []binding
	attributes    []attribute // of the current tag
}

// Write checks more text. It never fails; see [Checker.Finish].
func (c *Checker) Write(p []byte) (int, error) {
	if c.done || len(p) == 0 {
		return len(p), nil
	}
	if len(c.pending) > 0 {
		c.pending = append(c.pending, p...)
		c.data = c.pending
	} else {
		c.data = p
	}
	c.check()
	return len(p), nil
}

// Finish checks the end of the text and returns the first fault, or nil.
func (c *Checker) Finish() *Fault {
	if !c.done {
		c.data, c.final = c.pending, true
		c.check()
	}
	switch {
	case c.done:
	case c.mode != inText:
		c.failEnd(unfinished[c.mode])
	case len(c.open) > 0:
		c.failEnd("the text ends inside the element " + c.open[len(c.open)-1])
	case !c.rooted:
		c.failEnd("there is no element")
	}
	return c.fault
}

// check reads as much of data as can be judged and keeps the rest.
func (c *Checker) check() {
	c.at = 0
	for c.at < len(c.data) && !c.done && c.step() {
	}
	if c.done {
		c.pending = nil
		return
	}
	c.feeds += bytes.Count(c.data[:c.at], []byte("\n"))
	if c.feeds == 0 {
		c.returns += bytes.Count(c.data[:c.at], []byte("\r"))
	}
	c.offset += int64(c.at)
	c.pending = append(c.pending[:0], c.data[c.at:]...)
}

// step reads the next piece. It reports false if it needs more text.
func (c *Checker) step() bool {
	switch c.mode {
	case inComment:
		return c.comment()
	case inCDATA:
		return c.until("]]>")
	case inInstruction:
		return c.until("?>")
	}
	if c.data[c.at] == '<' {
		return c.markup()
	}
	return c.text()
}

// rest returns what is left of data.
func (c *Checker) rest() []byte { return c.data[c.at:] }

// more reports false, which asks for more text, or a fault at its end.
func (c *Checker) more(message string) bool {
	if c.final {
		c.failEnd(message)
	}
	return false
}

// fail notes a fault n bytes ahead. It reports false, since nothing follows.
func (c *Checker) fail(n int, message string) bool {
	part := Content
	switch {
	case !c.rooted:
		part = Prolog
	case c.ended:
		part = Epilog
	}
	return c.failIn(part, n, message)
}

func (c *Checker) failEnd(message string) bool { return c.failIn(End, len(c.rest()), message) }

func (c *Checker) failIn(part Part, n int, message string) bool {
	at := min(c.at+n, len(c.data))
	line := c.feeds + bytes.Count(c.data[:at], []byte("\n"))
	if line == 0 { // lines may end in CR alone
		line = c.returns + bytes.Count(c.data[:at], []byte("\r"))
	}
	c.fault = &Fault{Line: line + 1, Offset: c.offset + int64(at), Part: part, Message: message}
	c.done = true
	return false
}

// markup reads what begins with "<", as far as its kind is decided by its first
// bytes.
func (c *Checker) markup() bool {
	rest := c.rest()
	if len(rest) < 2 {
		return c.more("the text ends inside a tag")
	}
	switch rest[1] {
	case '?':
		return c.instruction()
	case '/':
		return c.tag()
	case '!':
	default:
		return c.tag()
	}
	const comment, cdata, doctype = "<!--", "<![CDATA[", "<!DOCTYPE"
	switch {
	case bytes.HasPrefix(rest, []byte(comment)):
		c.mode = inComment
		c.at += len(comment)
		return true
	case bytes.HasPrefix(rest, []byte(cdata)):
		if len(c.open) == 0 {
			return c.fail(0, "a CDATA section outside the root element")
		}
		c.mode = inCDATA
		c.at += len(cdata)
		return true
	case bytes.HasPrefix(rest, []byte(doctype)) && !c.rooted:
		c.done = true
		return false
	case len(rest) < len(cdata) && !c.final:
		return false
	}
	return c.fail(0, "<! that begins neither a comment nor a CDATA section")
}

// comment reads a comment, in which "--" must be followed by ">".
func (c *Checker) comment() bool {
	rest := c.rest()
	end := bytes.Index(rest, []byte("--"))
	if end < 0 {
		return c.partial(len("--"))
	}
	if !c.characters(rest[:end]) {
		return false
	}
	c.at += end
	switch rest = rest[end:]; {
	case len(rest) < len("-->"):
		return c.more(unfinished[inComment])
	case rest[2] != '>':
		return c.fail(0, "-- inside a comment")
	}
	c.at += len("-->")
	c.mode = inText
	return true
}

// until reads text in which only its end and forbidden characters matter.
func (c *Checker) until(mark string) bool {
	rest := c.rest()
	end := bytes.Index(rest, []byte(mark))
	if end < 0 {
		return c.partial(len(mark))
	}
	if !c.characters(rest[:end]) {
		return false
	}
	c.at += end + len(mark)
	c.mode = inText
	return true
}

// partial reads all of data but a possible beginning of a mark of n bytes.
func (c *Checker) partial(n int) bool {
	rest := c.rest()
	if c.final {
		return c.characters(rest) && c.failEnd(unfinished[c.mode])
	}
	whole := wholeRunes(rest[:max(0, len(rest)-n+1)])
	if c.characters(whole) {
		c.at += len(whole)
	}
	return false
}
