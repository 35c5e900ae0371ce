// Package shard writes records into files that exist whole or not at all.
//
// [Open] returns a [Writer] for one directory; [Writer.Append] adds a record and
// [Writer.Close] finishes the last file. A shard grows under a hidden name. At its
// limit it is synced, renamed to "part-00000.jsonl.gz" and so on, and then its
// directory is synced. A crash leaves at most one hidden file.
//
// Equal records make equal bytes: no file contains a time or its own name.
package shard
