// Package sitemap reads sitemaps as a stream: urlset, sitemapindex, RSS 2.0,
// Atom and text lists, gzipped or not, whatever their names say.
//
// [NewReader] and [Reader.Entries] are what most users need. Reading continues
// after a fault whenever it can: each fault becomes a [Problem] with a stable
// code, a line and a byte offset, and at most the current entry is lost. Only a
// file in which nothing can be read ends with an error. [Walker.Walk] also reads
// the files that an index names, and theirs. The package validate checks files
// against the protocol, the package generate writes them.
//
// Memory is constant: a file is never kept as a whole, declared entities are not
// expanded, and [Options] limits nesting, the length of URLs and the bytes of a
// file. The package opens no connection and starts no goroutine. The forms are
// those of sitemaps.org, protocol 0.9.
package sitemap
