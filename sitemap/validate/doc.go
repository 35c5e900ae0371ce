// Package validate checks sitemaps against the protocol of sitemaps.org, more
// strictly than a [sitemap.Reader], which forgives what can be read: no file is
// valid that an XML parser refuses.
//
// [Validator.File] checks one file, [Walk.Run] the files of a site and of its
// indexes. Extensions are checked as Google defines them: images, videos, news, and
// alternates, which must link back if they are listed. The package opens no
// connection: the caller opens the files.
package validate
