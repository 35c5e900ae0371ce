// Package archive gives the pages of web archives (WARC) in the form that a
// crawl has them, so that a corpus can be built of what was fetched before, by
// decorum or by another crawler.
//
// [Open] reads the files once for what sites state: robots.txt, tdmrep.json,
// ai.txt and licenses. [Source.Pages] reads them again and gives each page with
// the robots.txt that was in force when it was fetched, as far as the archives
// have it: the last one before the page that says something, no more than 30
// days old; else the last one before; else the first one after.
//
// # What cannot be judged
//
// Nothing is asked of the network. A page whose origin has no robots.txt in the
// archives has a document that is unreachable, with [ErrNoRobots]: a policy
// lets it wait. So does one whose robots.txt is damaged, or a revisit of what
// is not there, or a redirect to it; an older one was not in force. A robots.txt that broke off is one
// that could not be had, as in a crawl. A page without its body has a [Fault].
// Files of sites that are not there are counted by [Source.Missing]: nothing is
// known of them, which is less than that they are not there.
//
// Files are read in the order in which they are given, and records in that of
// the file; a revisit must come behind the record that it refers to, which has
// a gzip member of its own or stands in a file that is not compressed. Each
// capture of a URL is a page by itself, judged by what was stated at its time;
// of several within the same second the first counts.
//
// # Limits
//
// Archives may be of anybody. What sites state is held in memory, up to
// [Options.MaxStated]; of pages there are some bytes each, and one body a
// processor or two. A record is read in pieces, and reading it ends with ctx.
package archive
