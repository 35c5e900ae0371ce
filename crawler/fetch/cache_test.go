package fetch

import (
	"fmt"
	"testing"

	"github.com/decorum-crawler/decorum/robots"
)

func TestSiteCache(t *testing.T) {
	site := func(i, size int) *Site {
		return newSite(&robots.Document{Origin: fmt.Sprintf("https://%d.example", i), Body: make([]byte, size)}, "decorum")
	}
	c := newSiteCache(100 << 10)
	for i := range 10 {
		c.put(site(i, 10<<10)) // about 31 KiB each
		if c.get("https://0.example") == nil {
			t.Errorf("%d: the site that is in use is gone", i)
		}
	}
	if len(c.sites) != 3 || c.order.Len() != 3 || c.size > c.most {
		t.Errorf("got %d sites of %d bytes, want 3 within %d", len(c.sites), c.size, c.most)
	}
	c.put(site(0, 0))
	if got := c.get("https://0.example"); len(c.sites) != 3 || len(got.Document.Body) != 0 {
		t.Errorf("got %d sites, want the new one in place of the old one", len(c.sites))
	}
	c.put(site(11, 1<<20))
	if len(c.sites) != 1 || c.get("https://11.example") == nil {
		t.Errorf("got %d sites, want the last one, whatever its size", len(c.sites))
	}
}
