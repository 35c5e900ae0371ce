// Package corpus makes a training corpus from the pages of a crawl: it keeps the
// text of pages whose sites allow training, leaves out the others, and keeps the
// evidence for each decision, so that all of them can be derived again later.
//
// During a crawl, [Builder.Sink] is what the crawler calls. [Publish] then writes
// the shards and the manifest. On a finished corpus, [Judge.Verify] checks it
// against its manifest and evidence, [Judge.Decide] applies another policy,
// [Rechecker.Each] asks sites whether they still agree, and [Purge] removes the
// documents of those that do not. What sites can state and how a policy decides
// is in package signal; extracting text is in package text; package archive
// feeds a Builder from WARC files instead of a crawl.
//
// # The life of a document
//
//  1. Wants and Receive of the sink collect the files of a site that state
//     something on training: tdmrep.json, ai.txt if [Options.AITxt], and the
//     licenses that robots.txt names.
//  2. Refuse is called before a page is requested. If robots.txt alone excludes
//     it under the policy, it is never requested.
//  3. Admit is called when the header of the response has arrived. If the header
//     excludes the page, its body is not read.
//  4. Keep is called with the whole page. It reads what the header and the HTML
//     head state, takes the strictest decision along the redirects that led to
//     the page, and returns the records: always an [Evidence], and one of a
//     [Document], an [Excluded] or a [Failed]. The body of a page that is excluded
//     or on hold must not be kept elsewhere either.
//  5. Publish copies the documents of the journal into shards by decision, marks
//     duplicates, applies later decisions, leaves out what was purged, and writes
//     the [Manifest] last.
//     Near duplicates are marked when [Publication.Near] asks for it. [Export] and
//     [Merge] make corpora of parts of others, which are published the same way.
//  6. Decide writes a [Decision] for every document under another policy. The next
//     Publish follows them. A page that was excluded in the crawl stays out, for
//     its text was never kept.
//  7. Rechecker.Each requests robots.txt, the site's files and the header of each
//     page again. [Rechecked.Removal] returns the removal of a document that is
//     excluded now; [WriteRemovals] stores such removals. [LaterRefusals] finds
//     removals in archives, without any request.
//  8. Purge writes a tombstone, calls the owner of the archive, erases the title
//     from the page record and the text from the journal. The next Publish writes
//     shards without the document.
//
// # Files
//
// All names are relative to the directory of the corpus. Files that end in .jsonl
// are JSON Lines; a damaged line is jsonl.ErrRow.
//
//	corpus.jsonl                 every Document, in the order of the crawl (the journal)
//	excluded/part-00000.jsonl    an Excluded for each page that is excluded or on hold
//	failed.jsonl                 a Failed for each page without text
//	evidence/pages.jsonl         an Evidence for each page, redirect and refused URL
//	evidence/                    the files of sites, by digest, with notes on how they were fetched
//	overrides.yaml               the overrides that the corpus was built with, if any
//	documents/train=*/part-*     the shards, made by Publish
//	excluded/part-00001.jsonl    documents that a later decision excludes, made by Publish
//	manifest.json                the Manifest, made by Publish
//	decisions.jsonl              later Decisions, if any, made by Decide
//	removals/*.jsonl             Removals that were found, one file for each time
//	tombstones.jsonl             Removals that were applied
//
// The first four grow with the crawl and are committed together with its state;
// nothing else may append to them.
//
// # Promises
//
// A page is in a shard only if no signal that counts for the policy is against
// training. Equal evidence and an equal policy lead to equal decisions; Judge uses
// no network and no clock. Equal journals lead to equal shards. Files that are
// replaced are replaced whole, also when the machine crashes; a Publish or Purge
// that was cut short is completed by running it again.
//
// One process at a time may change a corpus. Functions that read one may run at
// the same time as each other, but not during Publish, Decide or Purge.
package corpus
