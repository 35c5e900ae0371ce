// Package atomicfile writes files that appear whole or not at all, even when
// the machine crashes: a reader finds the old file or the new one.
//
// [Write] and [WriteData] write a file in one call, [Create] returns a [File]
// that grows until [File.Commit], a [Set] publishes several files in order, and
// [ReplaceLines] changes lines of a file. [CreateFunc] is for files that another
// library writes by path, such as databases.
//
// All of them write a draft in the same folder under the name that [DraftName]
// returns, sync it, rename it and sync the folder, in this order. A killed
// process leaves a draft at most, and the next writer of the name removes it.
// A draft that is not a regular file is left alone and is an error.
//
// Names are relative to an [os.Root]; links that lead out of it are not
// followed. A link with the name of the file is replaced, not followed.
//
// Only one writer of a name may be active at a time.
package atomicfile
