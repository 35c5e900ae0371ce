// Package sitemap reads sitemaps as a stream: urlset, sitemapindex, RSS 2.0,
// Atom and text lists, gzipped or not, whatever their names say.
//
// [NewReader] and [Reader.Entries] are what most users need. Reading never
// stops at a fault that leaves a way on: each one becomes a [Problem] with a
// stable code, a line and a byte offset, and at most the entry at hand is lost.
// Only a file in which nothing can be read ends with an error. [Walker.Walk]
// goes on to the files that an index names, and to theirs.
//
// Memory is constant: a file is never held whole, declared entities are never
// expanded, nesting, the length of addresses and the bytes of a file are
// bounded by [Options]. The package opens no connection and starts no
// goroutine. The forms are those of sitemaps.org, protocol 0.9.
package sitemap
