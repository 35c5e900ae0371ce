// Package signal reads what a page and its site state about AI training and
// applies policies to it. It uses neither the network nor a clock: equal evidence
// and an equal policy lead to an equal decision, even years later.
//
// Most users need [ReadPage], which picks the relevant parts of a response,
// [Judge], which returns one [Signal] of each kind for a page and its [Site], and
// [Policy.Decide].
//
// # Vocabulary
//
// A preference is in favor, against, or none, which is neither yes nor no. A
// signal is one way to state it: a group in robots.txt, a header, an element of
// the page, a file at a well-known place. The most restrictive signal wins: if
// any signal is against, the page is excluded; otherwise, if any is in favor, it
// is included; otherwise nothing was stated. For a redirected page every origin of
// the chain is judged, and the strictest decision applies.
package signal
