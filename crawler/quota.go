package crawler

import (
	"maps"
	"sync"

	"github.com/decorum-crawler/decorum/frontier"
)

// A quota counts the pages of each host up to a limit. It is safe for concurrent
// use.
type quota struct {
	most int64 // 0: no limit

	mu    sync.Mutex
	pages map[string]int64 // by host
}

func newQuota(o Options) *quota {
	q := &quota{most: o.MaxPagesPerHost, pages: map[string]int64{}}
	maps.Copy(q.pages, o.HostPages)
	return q
}

// page counts a page in its final state.
func (q *quota) page(canonical string) {
	if q.most == 0 {
		return
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	q.pages[frontier.HostOf(canonical)]++
}

// spent reports whether no more pages of a URL's host are requested.
func (q *quota) spent(canonical string) bool {
	if q.most == 0 {
		return false
	}
	q.mu.Lock()
	defer q.mu.Unlock()
	return q.pages[frontier.HostOf(canonical)] >= q.most
}
