// Package warc writes and reads web archives: WARC 1.1 (ISO 28500:2017), one
// gzip member per record, with a CDXJ index.
//
// A [Capture] is one request and its response. [Encoder.Encode] does the
// expensive work, may be called from many goroutines and returns an entry.
// [Writer.Append] writes entries to numbered files. Like the other outputs of a
// crawl a Writer changes together with a state stored elsewhere: [Open] truncates
// the files to the offset in the state, and [Writer.Flush] returns the offset to
// store. The offset counts the bytes of all files together.
//
// [SortIndex] makes the index from the lines that a Writer passes to
// [Options.Index]. [NewReader] reads the archives of any tool.
//
// # What is stored
//
// A capture becomes a response, a request and a metadata record, in this order
// and in one file. The response has its header lines as received, in order,
// including repeated ones. Its body has no transfer coding but keeps its content
// coding. Transfer-Encoding lines are renamed X-Archive-Orig-Transfer-Encoding,
// since the chunks are removed. So block and payload digest are of bytes in the
// record, and readers check them without decoding anything.
//
// A payload that was stored before becomes a revisit record with the three
// WARC-Refers-To fields. Up to twice [Options.MaxDigests] payloads are
// remembered. A forgotten one is stored again, which costs only space. Empty and
// truncated payloads never lead to a revisit.
//
// Digests are SHA-256 in lower-case hex. SHA-1, which older archives use, is open
// to collisions: whoever controls two pages could replace one by the other. Dates
// are whole seconds, so that index and records agree.
package warc
