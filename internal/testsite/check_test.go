package testsite

import (
	"slices"
	"testing"
	"time"
)

func TestGapsCountFromTheLatestEnd(t *testing.T) {
	web := &Web{hits: []Hit{
		hit("a", "/1", 0, 10), hit("b", "/1", 1, 2), hit("a", "/2", 4, 5), hit("a", "/3", 12, 13),
	}}
	want := []time.Duration{-6 * time.Second, 2 * time.Second}
	if got := web.GapsOf("a"); !slices.Equal(got, want) {
		t.Errorf("got %v, want %v", got, want)
	}
	if got := web.Gaps(); len(got) != 1 || !slices.Equal(got["a"], want) {
		t.Errorf("got %v, want only those of a", got)
	}
	if got := web.TooFast("a", 2*time.Second); len(got) != 1 {
		t.Errorf("got %q, want one violation", got)
	}
}

func TestAskedAndTwice(t *testing.T) {
	web := &Web{hits: []Hit{hit("a", "/private/x?y", 0, 1), hit("a", "/p", 2, 3), hit("a", "/p", 4, 5), hit("b", "/private/", 6, 7)}}
	if got := web.Asked("a", "/private/", "/pri"); len(got) != 1 {
		t.Errorf("got %q, want one violation", got)
	}
	if got := web.Twice("a"); len(got) != 1 {
		t.Errorf("got %q, want one violation", got)
	}
}

func TestRobotsFirst(t *testing.T) {
	web := New()
	defer web.Close()
	a, b := web.Site("a"), web.Site("b")
	moved := func(site, path string, start, end int, to string) Hit {
		h := hit(site, path, start, end)
		h.Status, h.Location = 301, to
		return h
	}
	for _, tt := range []struct {
		name string
		hits []Hit
		want int
	}{
		{"first", []Hit{hit("a", "/robots.txt", 0, 1), hit("a", "/", 1, 2)}, 0},
		{"never", []Hit{hit("a", "/", 1, 2)}, 1},
		{"later", []Hit{hit("a", "/", 0, 1), hit("a", "/robots.txt", 2, 3)}, 1},
		{"meanwhile", []Hit{hit("a", "/robots.txt", 0, 3), hit("a", "/", 1, 2)}, 1},
		{"of another site", []Hit{hit("a", "/robots.txt", 0, 1), hit("b", "/", 1, 2)}, 1},
		{"redirected", []Hit{
			moved("a", "/robots.txt", 0, 1, a.URL()+"/r"), hit("a", "/r", 2, 3), hit("a", "/", 4, 5),
		}, 0},
		{"redirected to another site", []Hit{
			moved("a", "/robots.txt", 0, 1, b.URL()+"/r"), hit("b", "/r", 2, 3), hit("a", "/", 4, 5), hit("b", "/", 6, 7),
		}, 1},
		{"between the hops", []Hit{
			moved("a", "/robots.txt", 0, 1, a.URL()+"/r"), hit("a", "/", 2, 3), hit("a", "/r", 4, 5),
		}, 1},
		{"for ever redirected", []Hit{moved("a", "/robots.txt", 0, 1, a.URL()+"/robots.txt"), hit("a", "/", 2, 3)}, 0},
	} {
		t.Run(tt.name, func(t *testing.T) {
			web.mu.Lock()
			web.hits = tt.hits
			web.mu.Unlock()
			if got := web.RobotsFirst(); len(got) != tt.want {
				t.Errorf("got %q, want %d violations", got, tt.want)
			}
		})
	}
}
