// Package fetch is the only way to the network. A [Client] asks for the
// robots.txt of an origin before anything else of it, lets a URL pass by its
// rules, waits for the turn of the host, and sends one request.
//
// [New], [Client.Get], [Client.Open] and [Client.File] are what most users need;
// crawls, audits and single questions all go through them. What they have in
// common is one function, visit:
//
//  1. the robots.txt of the URL's origin, kept or fetched, with the rules of
//     RFC 9309 §2.3.1 for its absence;
//  2. a permit for exactly this URL, which only the gate of this package makes,
//     and without which the transport sends nothing;
//  3. the turn of the host: one request at a time, and between two of them the
//     largest of our own delay, Crawl-delay, Retry-After and back-off;
//  4. the request, sent once: nothing repeats it but the caller;
//  5. the answer, decoded and bounded.
//
// Redirects are not followed by the client below; each hop is a visit of its
// own. Addresses are judged when a connection is dialled, so no name and no
// redirect leads into a private network.
//
// The zero [Options] are polite: a second between requests, no private
// addresses, and [Options.Validate] asks for a contact.
package fetch
