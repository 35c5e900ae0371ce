// Package evidence stores the files of sites on which decisions are based, as
// they were fetched: robots.txt, and others such as tdmrep.json, ai.txt or a
// license.
//
// A [Store] keeps them in two folders of a crawl directory, [RobotsDir] and
// [FilesDir]. The bytes of a file are stored once, named after their SHA-256 in
// hex. Each response has a note of its own, a JSON object of the schema
// decorum.robots/1 or decorum.sitefile/1 that tells how the file was fetched. A
// note is named after a hash of its origin or URL and the time of the response.
// So file names consist of hashes and numbers, never of parts of a URL.
//
// [Store.Load] returns bytes by their digest, and [Store.Notes] lists the
// responses. Stored files never change.
package evidence
