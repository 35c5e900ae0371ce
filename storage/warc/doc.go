// Package warc writes and reads web archives: WARC 1.1 (ISO 28500:2017), one
// gzip member a record, with a CDXJ index.
//
// A [Capture] is one request with its answer. [Encoder.Encode], which many
// goroutines may call, does the costly part and gives an entry; [Writer.Append]
// puts entries into numbered files one after the other. Like the other outputs
// of a crawl a Writer moves together with a state kept elsewhere: [Open] cuts
// the files back to the offset that the state knows, [Writer.Flush] gives the
// one to keep. The offset counts the bytes of all files together.
//
// [SortIndex] makes the index of the lines that a Writer hands out, and
// [NewReader] reads the archives of any tool.
//
// # What is stored
//
// A capture becomes a response, a request and a metadata record, in this order
// and in one file. The response has its header lines as they came, in order,
// equal ones too. Its body is free of the transfer coding and keeps its content
// coding; Transfer-Encoding lines are renamed X-Archive-Orig-Transfer-Encoding,
// since chunks are gone. So block and payload digest are of bytes that stand
// in the record, which readers check without decoding anything.
//
// A payload that was stored before becomes a revisit record with the three
// WARC-Refers-To fields. Up to twice [Options.MaxDigests] payloads are
// remembered; one that is forgotten is stored again, which costs space only.
// Empty and truncated payloads are no ground for a revisit.
//
// Digests are SHA-256 in lower-case hex. SHA-1, which older archives have, can
// be made to collide: who controls two pages could let one stand for the other.
// Dates are whole seconds, so that those of the index and of records agree.
package warc
