// Package storage stores the state of a crawl in one bbolt file: the frontier,
// the visited URLs, the robots documents and the hosts' next times.
//
// [Create] makes a state file and [Open] opens an existing one. [State] is a
// frontier.Store and a robots.Store. After a crash at any moment the file holds
// the last complete transaction.
//
// # Format, version 2
//
//	meta      magic, schema, run, commits, sequence, counters, offsets
//	urls      host hash (8) + URL hash (12)             -> record
//	queue     host hash (8) + rank (1) + depth (4) + sequence (8) -> URL hash
//	tentative host hash (8) + URL hash (12)             -> nothing
//	hosts     host hash (8)                             -> host record
//	robots    origin                                    -> document, without body
//	bodies    SHA-256                                   -> body
//	versions  URL of a sitemap                          -> version
//
// Hashes are the first bytes of SHA-256. A host's URLs share a prefix, so the
// batch of one host touches neighbouring pages. Numbers in keys are big-endian;
// records are varints and length-prefixed strings, or JSON for robots and versions,
// each with its CRC-32C in the last four bytes; see codec.go.
package storage
