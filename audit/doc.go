// Package audit answers which of the URLs that a site's sitemaps list its
// robots.txt blocks, for whom, and by which line. It fetches no page.
//
// Most users need one function, [Run], with [Options] that say how robots.txt
// files and sitemaps are had. Findings are handed over one at a time, as they
// arise; the [Report] that comes at the end holds counts and a few examples,
// so memory grows with the number of files and rules and by some 24 bytes a
// URL, never with the findings.
//
// # Vocabulary
//
// A finding is one thing that a site's owner should look at; its code is
// stable. A URL is blocked for an agent when the agent's group of the
// robots.txt of the URL's own origin says so (RFC 9309 §2.2). The training
// preference is told apart from that: it is looked up by its own token only.
//
// An entry on another host than its sitemap counts only if that host's own
// robots.txt names the sitemap, as sitemaps.org wants it.
package audit
