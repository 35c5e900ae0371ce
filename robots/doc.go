// Package robots reads robots.txt as RFC 9309 defines it and tells, for one
// agent and one URL, whether the URL may be fetched and which line decides.
//
// Most users need two functions: [Parse], which never fails, and [File.Check],
// which returns a [Verdict] with the deciding rule and its line. [File.Training]
// reads the site's preference on AI training, a separate question that never
// affects the first. [Fetch] requests the file of a site as §2.3 requires;
// [ReadLocal] reads a draft. For authors, [Explain] tells how a URL is judged,
// [NewDiff] compares two files, and the package lint finds mistakes.
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
//   - UTF-16 is read, since a site that serves it means its rules; RFC 9309 §2.3
//     demands UTF-8.
//   - A "%" that begins no escape matches "%25", which is what clients send. In a
//     Disallow, a "%" before a star or at the end matches any escape as well:
//     "/*%" forbids every URL with one. That is how its octets compare, which is
//     Google's reading; "/sale-50%-off" matches nothing in Google's.
//   - In the query of a Disallow, the octets / ? : @ ! ' ( ) , [ ] match their
//     escapes and are matched by them: "?f[" forbids "?f%5B", the form that
//     browsers send. RFC 9309 §2.2.2 has them escaped before comparing, Google
//     compares them as written. An Allow matches as written only, so that it
//     never opens what its author did not write. "&", "=", "+" and ";" separate
//     parameters and differ from their escapes everywhere. To bound the time of a
//     verdict, this and the "%" with one digit apply to the first 16 KiB of such
//     rules with stars.
//   - The length of a rule, which decides, does not depend on what it matches: it
//     is that of its normal form with each lone "%" as "%25".
//   - An answer of 429 counts as unreachable, not as unavailable: the server
//     asks for less traffic and does not say what is allowed.
//
// All types are safe for concurrent use once made.
package robots
