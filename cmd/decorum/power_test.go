package main

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"testing"

	"github.com/decorum-crawler/decorum/internal/faults"
)

// TestPowerLoss lets the power fail during a crawl: of what was not synced, nothing or
// a part is on the disk. The same command completes the crawl then, and what a
// finished crawl has said to be there is there.
func TestPowerLoss(t *testing.T) {
	eachSurvivor(t, func(t *testing.T, s survivor, calls []faults.Call) {
		t.Helper()
		s.empty(t)
		kept, err := faults.NewDisk(s.base)
		if err != nil {
			t.Fatal(err)
		}
		powerLoss{s, kept}.at(t, calls)
		if err := kept.Crash(nil); err != nil {
			t.Fatal(err)
		}
		if got := outputsOf(t, s.crawl); !maps.Equal(got, s.want) {
			t.Errorf("after the end: %s", differences(got, s.want))
		}
	})
}

// powerLoss is a crawl during which the power fails.
type powerLoss struct {
	survivor
	kept *faults.Disk
}

// at lets the power fail at calls that sync: just before one the most is not safe,
// and just after it what has been promised is all there is.
func (p powerLoss) at(t *testing.T, calls []faults.Call) {
	t.Helper()
	random := rand.New(rand.NewPCG(1, 2)) //nolint:gosec // must be repeatable
	syncs := 0
	for i, call := range calls {
		if call.Kind == faults.Sync {
			syncs++
		}
		fails := call.Kind == faults.Sync && syncs%*powerStep == 0
		if fails {
			p.fail(t, fmt.Sprintf("a part of what was written before call %d, %s", i+1, call), random)
		}
		if err := p.kept.Replay(calls[i : i+1]); err != nil {
			t.Fatal(err)
		}
		if fails {
			p.fail(t, fmt.Sprintf("what was safe after call %d, %s", i+1, call), nil)
		}
	}
	t.Logf("%d calls, %d syncs", len(calls), syncs)
}

// fail lets the power fail and runs the command again.
func (p powerLoss) fail(t *testing.T, left string, random *rand.Rand) {
	t.Helper()
	if err := p.kept.Crash(random); err != nil {
		t.Fatal(err)
	}
	p.complete(t, left)
}
