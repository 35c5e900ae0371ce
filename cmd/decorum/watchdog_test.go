package main

import (
	"context"
	"testing"
	"testing/synctest"
	"time"

	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
)

func TestWatchStall(t *testing.T) {
	waits := []fetch.Wait{{Host: "a.example"}}
	for _, test := range []struct {
		name string
		at   func(elapsed time.Duration) crawler.Activity
		want time.Duration // until the stall; 0: none
	}{
		{"busy without an outcome", func(time.Duration) crawler.Activity { return crawler.Activity{Busy: 3} }, 10 * time.Minute},
		{"nothing to do", func(time.Duration) crawler.Activity { return crawler.Activity{} }, 0},
		{"waiting for a host", func(time.Duration) crawler.Activity { return crawler.Activity{Busy: 1, Waiting: waits} }, 0},
		{"outcomes now and then", func(d time.Duration) crawler.Activity {
			return crawler.Activity{Busy: 1, Outcomes: int64(d / (9 * time.Minute))}
		}, 0},
		{"outcomes, then none", func(d time.Duration) crawler.Activity {
			return crawler.Activity{Busy: 1, Outcomes: int64(min(d, 20*time.Minute) / time.Minute)}
		}, 30 * time.Minute},
	} {
		t.Run(test.name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), 2*time.Hour)
				defer cancel()
				start, got := time.Now(), time.Duration(0)
				watchStall(ctx, 10*time.Minute, func() crawler.Activity { return test.at(time.Since(start)) },
					func(crawler.Activity) { got = time.Since(start) })
				if got != test.want {
					t.Errorf("got a stall after %v, want %v", got, test.want)
				}
			})
		})
	}
}
