package shard

// Break makes the next write fail, as a full disk would.
func Break[T any](w *Writer[T]) { w.now.file.Abort() }
