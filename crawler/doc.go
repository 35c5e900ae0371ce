// Package crawler runs a crawl: it leases items from a frontier, asks for each
// at its host's pace, reads what it names and acknowledges the outcome.
//
// [New], [Crawl.Seed] and [Crawl.Run] are what most users need; [Options] holds
// every limit, and package crawldir makes the directory in which a crawl can be
// resumed. A [Sink] makes more of a crawl than its page records.
//
// Every request goes through a client of package fetch, which knows robots.txt
// and the hosts' turns. This package decides what is asked for, and when a
// failure is tried again.
package crawler
