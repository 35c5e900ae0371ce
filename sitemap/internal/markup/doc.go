// Package markup scans text with tags, such as XML, without asking whether it is
// well-formed: a window moves over the text, and what is broken ends where the next
// tag begins. Memory is that of the window, whatever the text.
package markup
