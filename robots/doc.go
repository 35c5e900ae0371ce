// Package robots reads robots.txt as RFC 9309 defines it and tells, for one
// agent and one URL, whether the URL may be fetched and which line decides.
//
// Most users need two functions: [Parse], which never fails, and [File.Check],
// which returns a [Verdict] with the deciding rule and its line. [File.Training]
// reads the site's preference on AI training, a separate question that never
// affects the first. [Fetch] requests the file of a site as §2.3 requires;
// [ReadLocal] reads a draft. For authors, [Lint] finds mistakes, [Explain] tells
// how a URL is judged, and [NewDiff] compares two files.
//
// # Vocabulary
//
// A product token names a crawler (RFC 9309 §2.2.1). A group is the set of
// rules that a token shares. A rule is one Allow or Disallow line. Paths and
// patterns are compared in the normal form of §2.2.2: unreserved characters
// unescaped, everything that is not plain ASCII escaped, hex digits in capitals.
//
// # Deviations
//
// Each one has a test of its name.
//
//   - Digits are part of a product token, since real ones (MJ12bot) have them.
//   - Misspellings are accepted only where they forbid: Disalow is read as
//     Disallow, Alow is not read as Allow.
//   - Crawl-delay and Sitemap lines never end a list of User-agent lines.
//   - A pattern may begin with "*".
//   - An answer of 429 counts as unreachable, not as unavailable: the server
//     asks for less traffic and does not say what is allowed.
//
// All types are safe for concurrent use once made.
package robots
