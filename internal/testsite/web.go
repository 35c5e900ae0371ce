package testsite

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"sync"
	"time"
)

// ErrClosed is returned by Open after Close.
var ErrClosed = errors.New("testsite: web is closed")

// Web is a set of local sites with one request log. Make it with New. All its
// methods are safe for concurrent use.
type Web struct {
	serving sync.WaitGroup

	mu     sync.Mutex // guards the fields below
	closed bool
	sites  map[string]*Site
	hits   []Hit
}

// New returns a web without sites. The caller closes it.
func New() *Web {
	return &Web{sites: make(map[string]*Site)}
}

// Site is like Open but panics instead of returning an error, as
// httptest.NewServer does: without a loopback port neither tests nor the demo can
// work.
func (w *Web) Site(name string) *Site {
	site, err := w.Open(name)
	if err != nil {
		panic(err)
	}
	return site
}

// Open returns the site of that name. The first call for a name starts its server
// on a free port of 127.0.0.1. The name is only a label for the log. The error is
// ErrClosed after Close, or that of opening the port.
func (w *Web) Open(name string) (*Site, error) {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.closed {
		return nil, ErrClosed
	}
	if site, ok := w.sites[name]; ok {
		return site, nil
	}
	listener, err := new(net.ListenConfig).Listen(context.Background(), "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("testsite: listen for site %s: %w", name, err)
	}
	site := newSite(name, listener.Addr().String())
	site.server = &http.Server{
		Handler:           w.logged(site),
		ReadHeaderTimeout: 30 * time.Second,
		ErrorLog:          log.New(io.Discard, "", 0),
	}
	w.sites[name] = site
	w.serving.Go(func() { _ = site.server.Serve(listener) }) // ends with Close
	return site, nil
}

// Close stops all servers, interrupts running requests, and waits for the
// listeners to end. The log stays readable. A second call does nothing.
func (w *Web) Close() {
	w.mu.Lock()
	closing := !w.closed
	w.closed = true
	w.mu.Unlock()
	if closing {
		// No more sites are added, so the map needs no lock.
		for _, site := range w.sites {
			_ = site.server.Close()
		}
	}
	w.serving.Wait()
}
