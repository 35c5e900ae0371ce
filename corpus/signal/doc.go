// Package signal reads what a page and its site state about AI training, and
// decides by it. It uses no network and no clock: equal evidence and an equal
// policy lead to an equal decision, even years later.
//
// Most users need [ReadPage], which picks from a response what matters here,
// [Judge], which returns one [Signal] of each kind for a page and its [Site], and
// [Policy.Decide].
//
// # Vocabulary
//
// A preference is in favor, against, or none, which is neither yes nor no. A
// signal is one way to state it: a group in robots.txt, a header, an element of
// the page, a file at a known place. The most restrictive signal wins: any
// against excludes the page, else any in favor includes it, else nothing was
// stated. For a redirected page every origin of the redirects is judged, and
// the strictest decision counts.
package signal
