// Package http1 is what a crawler needs below net/http on a connection that
// speaks HTTP/1.1. A [Conn] repairs the heads of responses, since net/http gives up
// a response for one odd line that browsers skip, and its [Tap] records the heads
// as they went over the wire, for an archive.
package http1
