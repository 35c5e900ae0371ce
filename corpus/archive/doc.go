// Package archive reads the pages of web archives (WARC) in the form that a crawl
// has them, so that a corpus can be built from what was fetched before, by decorum
// or by another crawler.
//
// [Open] reads the files once for what sites state: robots.txt, tdmrep.json,
// ai.txt and licenses. [Source.Pages] reads them again and yields each page
// with the robots.txt that was in force when it was fetched, as far as the
// archives have it: the last usable one before the page, at most 30 days old; else
// the last one before; else the first one after.
//
// # What cannot be judged
//
// The network is not used. A page whose origin has no robots.txt in the archives
// has a document that is unreachable, with [ErrNoRobots]: a policy puts it on hold.
// So it is if robots.txt is damaged, or is a revisit of or a redirect to something
// that the archives do not have; an older one was not in force. A robots.txt that
// broke off counts as unreachable, as in a crawl. A page without its body has a
// [Fault]. Files of sites that the archives do not have are counted by
// [Source.Missing]: whether such a file existed is unknown.
//
// Files are read in the order of the arguments, and records in that of the file; a
// revisit must follow the record that it refers to, which must have a gzip member
// of its own or be in a file without compression. Each capture of a URL is a page
// by itself, judged by what was stated at its time; of several within the same
// second the first counts.
//
// # Limits
//
// Archives are not trusted. What sites state is kept in memory, up to
// [Options.MaxStated]; each page costs some bytes, and there are one or two bodies
// per processor. A record is read in pieces, and reading it ends with ctx.
package archive
