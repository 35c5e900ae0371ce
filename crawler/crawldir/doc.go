// Package crawldir makes, resumes, reads and checks crawl directories: the
// state of a crawl, its outputs and the evidence that it rests on.
//
// [Create] makes a directory and [Open] resumes the crawl in one; [Holds] tells
// which of the two a path needs. Both return a [Dir]: [Dir.Frontier] returns the
// queue of the crawl, and [Dir.Connect] connects a crawl to the directory. [Look]
// opens a directory for reading: see [View.Pages], [View.Skips], [View.Verify]
// and [View.Package].
//
// # Layout
//
//	config.yaml          settings that the crawl began with; marks a directory as ours
//	crawl.db             state: every URL, the queue, committed lengths of the outputs
//	pages.jsonl          a decorum.page/1 object for each requested URL
//	skipped.jsonl        a decorum.skip/1 object for each URL never requested
//	sitemaps.jsonl       a decorum.sitemap/1 object for each sitemap requested or skipped
//	crawl.log            log of all runs
//	robots/              robots.txt files as evidence, see package evidence
//	warc/00000.warc.gz   archive, with --store warc
//	warc/captures.cdxj   index of the archive in the order of its records
//	warc/index.cdxj      the same in the order of the URLs, made when a run ends
//
// Callers may add outputs of their own, as a corpus does; see [Options].
//
// # The order of the commits
//
// A commit appends the records of its outcomes to all outputs, outcome by
// outcome, makes them durable, and then commits the lengths of the outputs with
// the state. So all outputs are in the order of the commits: if the page of one
// URL comes before that of another, so does its capture, and so do the lines in
// every other output. [Captures] relies on that to find the records of pages or
// documents in one pass.
//
// Code that changes a file of a directory later must keep that order and the
// lengths: a purge overwrites lines and records in place.
//
// After a crash outputs can be longer than the committed lengths. [Open]
// truncates them; a [View] reads only the committed part.
package crawldir
