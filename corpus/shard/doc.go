// Package shard writes records into files that exist whole or not at all.
//
// [Open] returns a [Writer] for one directory; [Writer.Append] adds a record and
// [Writer.Close] finishes the last file. A shard grows under a hidden name; at
// its limit it is synced, renamed to "part-00000.jsonl.gz" and so on, and its
// directory synced, in this order. A crash leaves a hidden file at most.
//
// Equal records make equal bytes: no file holds a time or its own name.
package shard
