// Package frontier is the queue of a crawl.
//
// [Canonical] returns the one spelling under which a URL is stored, compared and
// sent, and [Scope] decides whether it belongs to the crawl. A [Frontier] keeps
// every URL that it was offered once, and leases those that are due. [Local] is
// the frontier of one process, on any [Store].
//
// # The life of a URL
//
// A [Candidate] is offered by Add or found on a page. A new one becomes pending,
// or is skipped at once when it carries a reason. A pending item is leased when
// its host is due, and Ack ends the lease with an [Outcome]: the item is done,
// skipped, to be retried later, or returned unchanged. All stores follow the
// transitions of [Known].
//
// # Promises
//
//   - A URL is leased again only after it was returned or its lease expired.
//   - An Ack is one transaction: the outcome, the URLs found, the host's next
//     time and the offsets of the outputs move together.
//   - An Ack of a lost lease changes nothing and returns [ErrLeaseLost].
//   - Memory holds hosts and a few items of each; URLs are in the store.
package frontier
