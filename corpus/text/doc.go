// Package text takes the main text out of a page, with its language and marks
// for finding it again.
//
// [NewPool] makes the workers, [Pool.Extract] reads one page. The extractor is
// go-trafilatura without its fallbacks; plain text passes as it is.
//
// # What a hostile page can do
//
// A page costs at most its deadline. Bytes, tokens and nesting are counted
// before the extractor sees a tree, so the work is bounded; parsing stops at
// the deadline by itself. The extractor cannot be stopped from within: with
// [Options.Start] it runs in processes of its own, and one that is late is
// killed. Without, one that runs on is left behind, and its worker is replaced
// at most [Options.MaxLate] times at once; when no worker is left, Extract
// answers [ErrStuck] instead of waiting. A panic ends the page, not the process.
//
// A page that gives no document has an [*Error] with a [Reason], and is never a
// fault of the run.
//
// # What it costs
//
// Mean F1 is 0.978 on the 30 pages of testdata, which has the figures, and about
// 58 real pages of 140 KB are read a second and core. For a module that does not
// replace its date parser as this one does, linking go-trafilatura adds about
// 220 ms and 40 MB to the start of a program.
//
// # Marks
//
// [Digest] is the SHA-256 of the text in the form of [Normal]: equal texts have
// equal digests, whatever their white space. [Simhash] is near for near texts
// and only a mark: nothing is dropped because of it.
package text
