// Package evidence keeps the files of sites that a decision rests on as they
// were fetched: robots.txt, and what a site states besides it, such as
// tdmrep.json, ai.txt or a license.
//
// A [Store] keeps them in two folders of a crawl directory, [RobotsDir] and
// [FilesDir]. The bytes of a file are kept once, named after their SHA-256 in
// hex. Each answer has a note of its own, a JSON object that tells how the file
// was fetched: of the schema decorum.robots/1 or decorum.sitefile/1. A note is
// named after a hash of its origin or URL and the time of the answer. So names
// are hashes and numbers, and never parts of a URL.
//
// [Store.Load] returns bytes by their digest, and [Store.Notes] lists the
// answers. Nothing that is kept changes later.
package evidence
