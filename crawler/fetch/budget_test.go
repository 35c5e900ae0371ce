package fetch

import (
	"bytes"
	"compress/gzip"
	"context"
	"io"
	"net/http"
	"testing"
)

// TestLargeBodiesWaitForMemoryAfterTheirTurn fetches a large page while another one
// has all of the budget: the response is read to its end, and returned once there
// is memory for it.
func TestLargeBodiesWaitForMemoryAfterTheirTurn(t *testing.T) {
	large, served := bytes.Repeat([]byte("0123456789abcdef"), 200<<10), make(chan struct{})
	s := newTestSite(t, map[string]any{
		"/first": func(w http.ResponseWriter, _ *http.Request) { _, _ = w.Write(large) },
		"/second": func(w http.ResponseWriter, _ *http.Request) {
			_, _ = w.Write(large)
			close(served)
		},
	})
	for _, wire := range []bool{false, true} {
		c := newTestClient(t, Options{BodyMemory: 1 << 20, KeepWire: wire, MaxPageBytes: 3 << 20})
		ctx, release := c.Retain(t.Context())
		first, err := c.Get(ctx, Request{URL: s.URL + "/first"})
		if err != nil || !first.Truncated || !bytes.Equal(first.Body, large[:3<<20]) {
			t.Fatalf("got %d bytes, truncated %v, %v, want 3 MiB", len(first.Body), first.Truncated, err)
		}
		got := make(chan *Response, 1)
		go func() { // ends with the response
			second, err := c.Get(t.Context(), Request{URL: s.URL + "/second", Limit: int64(len(large))})
			if err != nil {
				t.Error(err)
			}
			got <- second
		}()
		<-served
		release()
		second := <-got
		if second.Truncated || !bytes.Equal(second.Body, large) {
			t.Errorf("got %d bytes, truncated %v, want %d", len(second.Body), second.Truncated, len(large))
		}
		if wire && !bytes.Equal(second.Wire.Body, large[:3<<20]) {
			t.Errorf("got %d bytes of the wire, want 3 MiB", len(second.Wire.Body))
		}
		served = make(chan struct{})
	}
}

// TestWaitForMemoryEnds drops a request that waits for memory.
func TestWaitForMemoryEnds(t *testing.T) {
	large, served := make([]byte, 2<<20), make(chan struct{}, 2)
	s := newTestSite(t, map[string]any{"/": func(w http.ResponseWriter, _ *http.Request) {
		_, _ = w.Write(large)
		served <- struct{}{}
	}})
	c := newTestClient(t, Options{BodyMemory: 1 << 20})
	retaining, release := c.Retain(t.Context())
	defer release()
	if _, err := c.Get(retaining, Request{URL: s.URL + "/"}); err != nil {
		t.Fatal(err)
	}
	<-served
	ctx, cancel := context.WithCancel(t.Context())
	go func() { // ends with the response
		<-served
		cancel()
	}()
	if _, err := c.Get(ctx, Request{URL: s.URL + "/"}); err == nil {
		t.Error("got no error from a dropped request")
	}
}

// TestCodedBodyInAFile reads a small coding of a large page without memory.
func TestCodedBodyInAFile(t *testing.T) {
	large := bytes.Repeat([]byte("<p>again</p>"), 200<<10)
	var coded bytes.Buffer
	w := gzip.NewWriter(&coded)
	_, _ = w.Write(large)
	_ = w.Close()
	s := newTestSite(t, map[string]any{"/": func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		_, _ = w.Write(coded.Bytes())
	}})
	c := newTestClient(t, Options{BodyMemory: 1 << 20, KeepWire: true})
	busy := &share{budget: c.budget}
	if !busy.take(1 << 20) {
		t.Fatal("the budget is not free")
	}
	b := buffer{ctx: t.Context(), share: &share{budget: c.budget}, most: 10 << 20}
	if err := b.readFrom(bytes.NewReader(large), -1); err != nil || b.file == nil || b.len() != int64(len(large)) {
		t.Errorf("got %d bytes, %v, want all of them in a file", b.len(), err)
	}
	busy.release()
	if body, err := b.load(t.Context()); err != nil || !bytes.Equal(body, large) {
		t.Errorf("got %d bytes, %v, want %d", len(body), err, len(large))
	}
	b.share.release()
	got, err := c.Get(t.Context(), Request{URL: s.URL + "/"})
	if err != nil || !bytes.Equal(got.Body, large) || !bytes.Equal(got.Wire.Body, coded.Bytes()) {
		t.Errorf("got %d bytes of %d, %v", len(got.Body), len(large), err)
	}
	if !busy.take(1 << 20) {
		t.Error("a body that was returned still counts")
	}
}

func BenchmarkBuffer(b *testing.B) {
	page := bytes.Repeat([]byte("x"), 100<<10)
	memory := newBudget(Options{BodyMemory: 64 << 20})
	b.ReportAllocs()
	for b.Loop() {
		body := buffer{ctx: b.Context(), share: &share{budget: memory}, most: 10 << 20}
		if err := body.readFrom(io.MultiReader(bytes.NewReader(page)), -1); err != nil {
			b.Fatal(err)
		}
	}
}
