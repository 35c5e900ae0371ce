package frontiertest

import (
	"strconv"
	"testing"

	"github.com/decorum-crawler/decorum/frontier"
)

// batchSize is the number of URLs in one batch of [Benchmark].
const batchSize = 1000

// Benchmark measures batches of 1000 URLs of one host on the store that open
// returns: URLs that are new, URLs that are known, outcomes that leave an item
// pending, and the whole life of a URL from its offer to its end.
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
		retries := outcomes(pending, frontier.VerbRetry)
		b.ReportAllocs()
		for b.Loop() {
			benchmarkApply(b, store, &frontier.Batch{Finish: retries})
		}
	})
	b.Run("life", func(b *testing.B) {
		store, n := open(b), 0
		b.ReportAllocs()
		for b.Loop() {
			added := candidates(n)
			benchmarkApply(b, store, &frontier.Batch{Add: added})
			benchmarkApply(b, store, &frontier.Batch{Finish: outcomes(added, frontier.VerbDone)})
			n += batchSize
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

func outcomes(of []frontier.Candidate, verb frontier.Verb) []frontier.Outcome {
	made := make([]frontier.Outcome, len(of))
	for i, candidate := range of {
		made[i] = frontier.Outcome{Verb: verb, Item: candidate.Item}
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
