// Package generate writes the sitemaps of a site: files of the size that the
// protocol of sitemaps.org allows, and the index that names them.
//
// Use [NewWriter], then [Writer.Add] for each entry and [Writer.Close] at the
// end. Memory is constant, however many entries there are. The files are valid
// for the package validate, unless a URL is added twice.
package generate
