// Package crawler runs a crawl: it leases items from a frontier, lets each URL
// pass the robots gate, fetches it at its host's pace, reads its links and
// hands the outcome back.
//
// [New] and [Crawl.Run] are what most users need; [Options] holds every limit.
//
// There is one way out to the network. A request carries a permit in its
// context, made by the gate for one URL; the transport compares it with the
// URL about to be sent and refuses anything else. Robots files, sitemaps and
// every redirect hop go the same way. Addresses are judged when a connection
// is dialled, so no name and no redirect leads into a private network.
package crawler
