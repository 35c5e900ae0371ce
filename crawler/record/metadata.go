package record

// The fields that decorum adds to the metadata records of an archive, besides
// via and fetchTimeMs, which other crawlers also write.
const (
	FieldKind    = "decorum-kind"       // [KindPage] or [KindFile]
	FieldFetched = "decorum-fetched-at" // RFC 3339 with nanoseconds, where WARC-Date has seconds
	FieldSource  = "decorum-source"     // how the URL was found: seed, sitemap, link or redirect
	FieldDepth   = "decorum-depth"
)

// Values of [FieldKind].
const (
	KindPage = "page"
	KindFile = "file" // robots.txt, a sitemap or another file of a site
)
