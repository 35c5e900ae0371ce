// Package measure counts what is in a text, and names the published rules of
// quality that the text would fail. It drops nothing: whoever uses the texts decides.
//
// The rules are those of C4 (Raffel et al. 2020, "Exploring the Limits of Transfer
// Learning with a Unified Text-to-Text Transformer", §2.2), Gopher (Rae et al. 2021,
// "Scaling Language Models", A.1.1 and table A1) and FineWeb (Penedo et al. 2024,
// "The FineWeb Datasets", §3.6). docs/marks.md lists all of them, and where this
// package reads a rule more widely because it was written for English.
//
// Words and sentences are those of Unicode's standard annex 29; a word has a letter or
// a number in it. Everything here is a function of the text and of [Facts].
package measure
