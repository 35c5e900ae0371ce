// Package record defines the records that a crawl writes: a [Page] for each URL
// that was requested, in its final state, and a [Skip] for each URL that was seen
// and never fetched. Their JSON forms are stable interfaces, named in their
// schema fields.
package record
