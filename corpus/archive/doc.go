// Package archive reads the pages of web archives (WARC) in the form that a crawl
// passes to its sinks, so that a corpus can be built from archives made by decorum
// or by another crawler.
//
// [Open] reads the files once for the files of sites: robots.txt, tdmrep.json,
// ai.txt and licenses. [Source.Pages] reads them again and yields each page with
// the robots.txt that was in force when it was fetched: the last usable one in the
// archives before the page, if it is at most 30 days older; otherwise the last one
// before the page; otherwise the first one after it. [Build.Run] makes the records
// of a corpus from these pages.
//
// # What cannot be judged
//
// The network is not used. If the archives have no robots.txt for the origin of a
// page, its document is unreachable, with [ErrNoRobots], and a policy puts the page
// on hold. The same holds if the robots.txt is damaged, or if it is a revisit of or
// a redirect to something that is not in the archives; an older one was not in
// force. An incomplete robots.txt counts as unreachable, as in a crawl. A page
// without its body has a [Fault]. [Source.Missing] counts the other files of sites
// that are not in the archives; whether they existed is unknown.
//
// Files are read in the order of the arguments, and records in the order of the
// file. A revisit must follow the record that it refers to, which must have its own
// gzip member or be in an uncompressed file. Each capture of a URL is a separate
// page, judged by what its site stated at that time; of several captures with the
// same time only the first is used.
//
// # Limits
//
// Archives are not trusted. The files of sites are kept in memory, up to
// [Options.MaxStated]; each page takes a few bytes, and at most two bodies per
// processor are in memory. Reading a record stops when ctx is done.
package archive
