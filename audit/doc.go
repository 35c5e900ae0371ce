// Package audit finds which of the URLs in a site's sitemaps its robots.txt
// blocks, for whom, and by which line. It fetches no pages.
//
// Most users need one function, [Run], with [Options] that tell how to get
// robots.txt files and sitemaps. It reports findings one at a time, as they
// arise. The [Report] at the end has counts and a few examples, so memory grows
// with the number of files and rules and by some 24 bytes per URL, but not with
// the number of findings.
//
// # Vocabulary
//
// A finding is something that a site's owner should look at. Its code is stable.
// A URL is blocked for an agent if the agent's group in the robots.txt of the
// URL's own origin says so (RFC 9309 §2.2). The training preference is separate:
// it is looked up by its own token only.
//
// An entry on another host than its sitemap counts only if that host's own
// robots.txt names the sitemap, as sitemaps.org requires.
package audit
