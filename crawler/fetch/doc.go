// Package fetch sends all requests of decorum. Before any other request to an
// origin, a [Client] fetches its robots.txt; it then checks each URL against the
// rules, waits for the turn of the host, and sends one request.
//
// [New], [Client.Get], [Client.Open] and [Client.File] are what most users need;
// crawls, audits and single checks all go through them. All of them call one
// function, visit, which takes these steps:
//
//  1. Get the robots.txt of the URL's origin, stored or fetched. RFC 9309 §2.3.1
//     says what applies when there is none.
//  2. Make a permit for exactly this URL. Only the gate of this package makes
//     permits, and without one the transport sends nothing.
//  3. Wait for the turn of the host: one request at a time, and between two of
//     them the largest of our own delay, Crawl-delay, Retry-After and back-off.
//  4. Send the request once. Only the caller repeats it.
//  5. Decode the response, up to a limit.
//
// The HTTP client does not follow redirects; each hop is a visit of its own.
// Addresses are checked when a connection is dialed, so no host name and no
// redirect leads into a private network.
//
// The zero [Options] are polite: one second between requests, no private
// addresses, and [Options.Validate] requires a contact.
package fetch
