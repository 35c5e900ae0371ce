package fetch

import (
	"container/list"
	"sync"
)

// siteOverhead is about what a site costs besides its robots.txt.
const siteOverhead = 1 << 10

// siteCache holds the sites that were used last, up to a size in bytes. The store
// of robots.txt files has the others. It is safe for concurrent use.
type siteCache struct {
	most int64

	mu    sync.Mutex
	size  int64
	sites map[string]*list.Element // of *Site, by origin
	order list.List                // the last used first
}

func newSiteCache(most int64) *siteCache {
	return &siteCache{most: most, sites: map[string]*list.Element{}}
}

// get returns the site of an origin, or nil.
func (c *siteCache) get(origin string) *Site {
	c.mu.Lock()
	defer c.mu.Unlock()
	at, ok := c.sites[origin]
	if !ok {
		return nil
	}
	c.order.MoveToFront(at)
	return at.Value.(*Site)
}

// put adds a site in place of the last one of its origin.
func (c *siteCache) put(s *Site) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if at, ok := c.sites[s.Origin]; ok {
		c.remove(at)
	}
	c.sites[s.Origin] = c.order.PushFront(s)
	c.size += s.cost()
	for c.size > c.most && c.order.Len() > 1 {
		c.remove(c.order.Back())
	}
}

func (c *siteCache) remove(at *list.Element) {
	s := c.order.Remove(at).(*Site)
	delete(c.sites, s.Origin)
	c.size -= s.cost()
}

// cost returns about how many bytes of memory a site takes: its robots.txt, and
// the parsed form, which has at most twice that size.
func (s *Site) cost() int64 { return siteOverhead + 3*int64(len(s.Document.Body)) }
