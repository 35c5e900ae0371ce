// Package content decodes the body of a response: [Unpack] removes a content
// encoding, [Decode] converts text of any charset to UTF-8, [IsHTML] reports
// whether a body is HTML. Crawls, readers of archives and the text extractor
// share it, so that all of them read a page the same way.
package content
