package main

import (
	"context"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

// softMemory is the least soft limit on the memory of a crawl.
const softMemory = 160 << 20

// limitMemory keeps the soft limit of the Go runtime at [softMemory], or at one
// and a half times what is in use: below that, collecting garbage would take most
// of the time. It does nothing if the user has set GOMEMLIMIT.
func limitMemory(ctx context.Context, getenv func(string) string) {
	if getenv("GOMEMLIMIT") != "" {
		return
	}
	defer debug.SetMemoryLimit(debug.SetMemoryLimit(softMemory))
	live := []metrics.Sample{{Name: "/gc/heap/live:bytes"}}
	ticker := time.NewTicker(time.Second)
	defer ticker.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-ticker.C:
		}
		metrics.Read(live)
		debug.SetMemoryLimit(max(softMemory, int64(live[0].Value.Uint64())/2*3))
	}
}
