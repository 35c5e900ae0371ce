package frontiertest

import (
	"strconv"
	"testing"

	"github.com/decorum-crawler/decorum/frontier"
)

// batchSize is the number of URLs in one batch of [Benchmark].
const batchSize = 1000

// Benchmark measures batches of 1000 URLs of one host on the store that open
// returns: URLs that are new, URLs that are known, and outcomes of pending ones.
func Benchmark(b *testing.B, open func(b *testing.B) frontier.Store) {
	b.Run("new", func(b *testing.B) {
		store, n := open(b), 0
		b.ReportAllocs()
		for b.Loop() {
			benchmarkApply(b, store, &frontier.Batch{Add: candidates(n)})
			n += batchSize
		}
	})
	b.Run("known", func(b *testing.B) {
		store := open(b)
		known := candidates(0)
		benchmarkApply(b, store, &frontier.Batch{Add: known})
		b.ReportAllocs()
		for b.Loop() {
			benchmarkApply(b, store, &frontier.Batch{Add: known})
		}
	})
	b.Run("retry", func(b *testing.B) {
		store := open(b)
		pending := candidates(0)
		benchmarkApply(b, store, &frontier.Batch{Add: pending})
		var outcomes []frontier.Outcome
		for _, candidate := range pending {
			outcomes = append(outcomes, frontier.Outcome{Verb: frontier.VerbRetry, Item: candidate.Item})
		}
		b.ReportAllocs()
		for b.Loop() {
			benchmarkApply(b, store, &frontier.Batch{Finish: outcomes})
		}
	})
}

func candidates(first int) []frontier.Candidate {
	made := make([]frontier.Candidate, batchSize)
	for i := range made {
		made[i].Item = page("/list/" + strconv.Itoa(first+i))
	}
	return made
}

func benchmarkApply(b *testing.B, store frontier.Store, batch *frontier.Batch) {
	b.Helper()
	batch.Commit = func([]bool) (map[string]int64, error) { return nil, nil }
	if err := store.Apply(b.Context(), batch); err != nil {
		b.Fatal(err)
	}
}
