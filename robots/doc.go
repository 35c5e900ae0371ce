// Package robots reads robots.txt as RFC 9309 defines it and says, for one
// agent and one URL, whether the URL may be fetched and which line decided.
//
// Most users need two functions: [Parse], which never fails, and [File.Check],
// which gives a [Verdict] with the deciding rule and its line. [File.Training]
// reads the site's wish on AI training, which is another question and never
// mixes with the first. [Lint] tells an author what is wrong with a file, and
// [Fetch] asks a site for its file as §2.3 wants it.
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
//   - Digits belong to a product token, since real ones (MJ12bot) have them.
//   - Misspellings are forgiven only toward forbidding: Disalow is read as
//     Disallow, Alow is not read as Allow.
//   - Crawl-delay and Sitemap lines never end a list of User-agent lines.
//   - A pattern may begin with "*".
//   - An answer of 429 counts as unreachable, not as unavailable: the server
//     asks for less traffic and says nothing on what is allowed.
//
// All types are safe for concurrent use once made.
package robots
