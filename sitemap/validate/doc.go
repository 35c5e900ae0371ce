// Package validate checks sitemaps against the protocol of sitemaps.org, more
// strictly than a [sitemap.Reader], which forgives what can be read.
//
// [Validator.File] checks one file, [Validator.Walk] the files of a site and of
// its indexes. The package opens no connection: the caller opens the files.
package validate
