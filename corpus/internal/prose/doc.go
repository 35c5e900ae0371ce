// Package prose holds the structure of a text and writes it in two forms.
//
// [Read] turns nodes of a page into blocks: paragraphs, headings, lists, tables,
// code, quotes, definitions. [Plain] and [Markdown] write the same blocks, so both
// forms have the same words, lines and order. The package does not choose: what is
// in the nodes and shown to a reader is in the text, once.
//
// White space follows CSS: a run of it is one space, none at the ends of a block,
// and none where a line of the source ends between two characters of a script
// without spaces. Code keeps every line and its indentation.
package prose
