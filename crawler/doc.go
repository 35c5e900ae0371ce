// Package crawler runs a crawl: it leases items from a frontier, requests each
// one at the pace of its host, reads the links in it and acknowledges the
// outcome.
//
// [New], [Crawl.Seed] and [Crawl.Run] are what most users need; [Options] holds
// every limit, and package crawldir makes the directory in which a crawl can be
// resumed. A [Sink] makes more of a crawl than its page records.
//
// Every request goes through a client of package fetch, which enforces
// robots.txt and the pace of hosts. This package decides what to request and
// when to retry a failure.
package crawler
