// Package atomicfile writes files that appear complete or not at all, even when
// the machine crashes: a reader finds the old file or the new one.
//
// [Write] and [WriteData] write a file in one call, [Create] returns a [File]
// that grows until [File.Commit], a [Set] publishes several files in order, and
// [ReplaceLines] changes lines of a file. [CreateFunc] and [ReplaceFunc] are for
// files that another library writes by path, such as databases.
//
// All of them write a draft in the same folder under the name that [DraftName]
// returns, sync it, rename it and sync the folder, in this order. A killed process
// leaves at most a draft, which the next writer of the same name removes. They
// return an error if something other than a regular file has the draft's name.
//
// Names are relative to an [os.Root]; links that lead out of it are not
// followed. A link with the name of the file is replaced, not followed.
//
// Only one writer of a name may be active at a time.
package atomicfile
