// Package record holds the records of a crawl as they stand in its outputs:
// [Page] for each URL in its final state that was requested, [Skip] for each one
// that was seen and never fetched. Their JSON forms are stable interfaces, named
// in their schema fields.
package record
