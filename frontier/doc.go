// Package frontier is the queue of a crawl and its promises.
//
// [Canonical] makes the one spelling under which a URL is stored, compared and
// sent; [Scope] says whether it belongs to the crawl. A [Frontier] remembers
// every URL it was given, once, and lends out those that are due: [Local] is
// one process's, on any [Store].
//
// # The life of a URL
//
// A [Candidate] is offered by Add or found by a page. New ones become pending,
// or end at once as skipped when they carry a reason. A pending item is leased
// when its host is due, and its [Outcome] comes back by Ack: done, skipped, to
// be retried later, or given back as it was.
//
// # Promises
//
//   - A URL is given out again only after it came back or its lease ran out.
//   - An Ack is one transaction: the outcome, the URLs found, the host's next
//     time and the places up to which the outputs count move together.
//   - An Ack with a lost lease changes nothing and says [ErrLeaseLost].
//   - Memory holds hosts and a few items of each; URLs live in the store.
package frontier
