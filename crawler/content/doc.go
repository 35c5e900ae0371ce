// Package content makes the body of an answer readable: [Unpack] removes a
// content encoding, [Decode] turns text of any charset into UTF-8, [IsHTML]
// reports whether a body is HTML. Crawls, readers of archives and the extractor
// of texts share it, so that all of them read a page alike.
package content
