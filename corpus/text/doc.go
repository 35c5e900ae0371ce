// Package text extracts the main text of a page, with its language, digest and
// fingerprint.
//
// [NewPool] makes the workers, [Pool.Extract] reads one page. The extractor is
// go-trafilatura without its fallbacks; plain text is kept as it is.
//
// # What a hostile page can do
//
// A page costs at most its deadline. Bytes, tokens and nesting are counted
// before the extractor sees a tree, so the work is bounded; parsing stops at
// the deadline by itself. The extractor cannot be stopped from within: with
// [Options.Start] it runs in processes of its own, and one that is late is
// killed. Without, one that runs on is abandoned, and its worker is replaced
// at most [Options.MaxLate] times at once; when no worker is left, Extract
// returns [ErrStuck] instead of waiting. A panic ends the page, not the process.
//
// A page without a document is an [*Error] with a [Reason]; it never ends the
// crawl.
//
// # What it costs
//
// Mean F1 is 0.978 on the 30 pages of testdata, which has the figures, and about
// 58 real pages of 140 KB are read a second and core. For a module that does not
// replace its date parser as this one does, linking go-trafilatura adds about
// 220 ms and 40 MB to the start of a program.
//
// # Fingerprints
//
// Both fingerprints are taken of the text in normal form: Unicode NFC, each run of
// white space as one space, none at either end. [Result.SHA256] is its digest:
// equal texts have equal digests, whatever their white space. [Result.Simhash] is
// near for near texts: one with one word in a hundred changed differs in about 5
// of the 64 bits, an unrelated one in about 32. Nothing is dropped because of it.
package text
