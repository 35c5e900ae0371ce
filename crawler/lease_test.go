package crawler

import (
	"context"
	"net/http"
	"net/http/httptest"
	"sync/atomic"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/crawler/record"
	"github.com/decorum-crawler/decorum/frontier"
)

// stoppedFrontier grants first leases that have expired, as they have for a process
// that was stopped in between.
type stoppedFrontier struct {
	*frontier.Local
	expired int
}

func (f *stoppedFrontier) Lease(ctx context.Context) (frontier.Lease, error) {
	lease, err := f.Local.Lease(ctx)
	if f.expired--; f.expired >= 0 {
		lease.Expires = time.Now()
	}
	return lease, err
}

func TestNothingIsSentAfterTheLease(t *testing.T) {
	var requests atomic.Int64
	server := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { requests.Add(1) }))
	defer server.Close()
	queue, err := frontier.NewLocal(frontier.NewMemory(), frontier.Options{
		Outputs: map[string]frontier.Output{record.OutputPages: &memoryOutput{}, record.OutputSkipped: &memoryOutput{}},
	})
	if err != nil {
		t.Fatal(err)
	}
	defer queue.Close()
	stopped := &stoppedFrontier{Local: queue, expired: 3}
	c := New(stopped, Options{Fetch: fetch.Options{Delay: -1, Allow: fetch.Network{Loopback: true}}, Workers: 1})
	if _, err := c.Seed(t.Context(), []string{server.URL + "/"}); err != nil {
		t.Fatal(err)
	}
	seeding := requests.Load()
	result, err := c.Run(t.Context(), nil)
	if err != nil || result.Pages != 1 || requests.Load()-seeding > 2 {
		t.Errorf("got %+v, %v, %d requests, want robots.txt and the page once each", result, err, requests.Load()-seeding)
	}
}
