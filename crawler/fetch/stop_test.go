package fetch

import (
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"
)

// TestStopEndsALongResponse has a sitemap that never ends: after a stop it gets
// the timeout of a page, and is not taken for a whole one.
func TestStopEndsALongResponse(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path == "/robots.txt" {
			http.NotFound(w, r)
			return
		}
		for r.Context().Err() == nil {
			_, _ = io.WriteString(w, "<url>")
			_ = http.NewResponseController(w).Flush()
			<-time.After(5 * time.Millisecond)
		}
	}))
	defer server.Close()
	c := newTestClient(t, Options{Timeout: 50 * time.Millisecond})
	stop := make(chan struct{})
	time.AfterFunc(100*time.Millisecond, func() { close(stop) }) // longer than the timeout of a page
	start := time.Now()
	_, err := c.Get(WithStop(t.Context(), stop), Request{URL: server.URL + "/s.xml", Limit: 1 << 20, Consume: func(r io.Reader) error {
		_, _ = io.Copy(io.Discard, r) // a lenient reader
		return nil
	}})
	if took := time.Since(start); !errors.Is(err, ErrStopped) || took < 100*time.Millisecond || took > 10*time.Second {
		t.Errorf("got %v after %v, want %v soon after the stop", err, took, ErrStopped)
	}
}
