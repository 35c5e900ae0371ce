package text

import (
	"context"
	"errors"
	"os"
	"os/exec"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

// oddChild reads pages like a child process, except for some.
func oddChild(ctx context.Context, page Page, o Options) (Result, error) {
	switch page.URL {
	case "loop":
		for { // like an extractor that never returns
			_ = strings.Repeat("x", 10)
		}
	case "die":
		_ = syscall.Kill(os.Getpid(), syscall.SIGKILL)
	}
	return guarded(ctx, page, reader{o}.read)
}

// withChildren makes a pool whose workers are processes.
func withChildren(t *testing.T, options Options) *Pool {
	t.Helper()
	options.Start = func() *exec.Cmd {
		command := exec.CommandContext(context.Background(), os.Args[0])
		command.Env = append(os.Environ(), "DECORUM_TEXT_CHILD=1")
		return command
	}
	return closing(t, options)
}

// TestChildReadsAsThePoolDoes compares the results of both ways.
func TestChildReadsAsThePoolDoes(t *testing.T) {
	here, there := closing(t, Options{Workers: 2}), withChildren(t, Options{Workers: 2})
	long := strings.Repeat("<p>"+sentence+"</p>", 8)
	for _, page := range []Page{
		{URL: "https://farm.example/", ContentType: "text/html", Body: article(long)},
		{ContentType: "text/plain; charset=iso-8859-1", Body: []byte("caf\xe9 " + sentence)},
		{ContentType: "image/png", Body: []byte("\x89PNG\r\n\x1a\n")},
		{ContentType: "text/html", Body: article("")},
		{ContentType: "text/html", Body: []byte(strings.Repeat("<div>", 600))},
	} {
		want, wantErr := here.Extract(t.Context(), page)
		got, err := there.Extract(t.Context(), page)
		if diff := cmp.Diff(want, got); diff != "" || reasonOf(err) != reasonOf(wantErr) {
			t.Errorf("%.40q: got %v, want %v: %s", page.Body, err, wantErr, diff)
		}
		if err != nil && err.Error() != wantErr.Error() {
			t.Errorf("got %q, want %q", err, wantErr)
		}
	}
}

// TestChildThatLoopsIsKilled reads more pages that never end than there are
// workers, with other pages between them.
func TestChildThatLoopsIsKilled(t *testing.T) {
	pool := withChildren(t, Options{Workers: 2, Deadline: time.Second})
	var wait sync.WaitGroup
	reasons := make([]Reason, 9)
	for i := range reasons {
		wait.Go(func() {
			page := Page{URL: "loop", ContentType: "text/html", Body: article("x")}
			if i%3 == 2 {
				page = Page{URL: "https://farm.example/", ContentType: "text/html", Body: article(strings.Repeat("<p>"+sentence+"</p>", 8))}
			}
			_, err := pool.Extract(t.Context(), page)
			reasons[i] = reasonOf(err)
		})
	}
	wait.Wait()
	want := []Reason{"deadline", "deadline", "", "deadline", "deadline", "", "deadline", "deadline", ""}
	if diff := cmp.Diff(want, reasons); diff != "" {
		t.Error(diff)
	}
}

func TestChildThatDiesIsReplaced(t *testing.T) {
	pool := withChildren(t, Options{Workers: 1})
	for range 3 {
		_, err := pool.Extract(t.Context(), Page{URL: "die", ContentType: "text/html"})
		if fault, ok := errors.AsType[*Error](err); !ok || fault.Reason != ReasonPanic || !errors.Is(err, errChild) {
			t.Errorf("got %v, want the page to be blamed", err)
		}
		if _, err := pool.Extract(t.Context(), Page{ContentType: "text/plain", Body: []byte(sentence)}); err != nil {
			t.Errorf("got %v of the next page", err)
		}
	}
}

func TestChildIsEndedWithItsCaller(t *testing.T) {
	pool := withChildren(t, Options{Workers: 1})
	ctx, cancel := context.WithCancel(t.Context())
	time.AfterFunc(50*time.Millisecond, cancel)
	if _, err := pool.Extract(ctx, Page{URL: "loop", ContentType: "text/html"}); !errors.Is(err, context.Canceled) || reasonOf(err) != "" {
		t.Errorf("got %v, want the caller to have given up", err)
	}
}

func TestChildThatCannotBeStarted(t *testing.T) {
	pool := closing(t, Options{Start: func() *exec.Cmd { return exec.CommandContext(context.Background(), "/no/such/program") }})
	if _, err := pool.Extract(t.Context(), Page{ContentType: "text/plain", Body: []byte("x")}); !errors.Is(err, os.ErrNotExist) || reasonOf(err) != "" {
		t.Errorf("got %v, want no blame for the page", err)
	}
}

// BenchmarkChild measures the cost of a separate process.
func BenchmarkChild(b *testing.B) {
	page := Page{URL: "https://farm.example/", ContentType: "text/html", Body: article(strings.Repeat("<p>"+sentence+"</p>", 100))}
	start := func() *exec.Cmd {
		command := exec.CommandContext(context.Background(), os.Args[0])
		command.Env = append(os.Environ(), "DECORUM_TEXT_CHILD=1")
		return command
	}
	for name, options := range map[string]Options{"here": {Workers: 1}, "child": {Workers: 1, Start: start}} {
		b.Run(name, func(b *testing.B) {
			pool := NewPool(options)
			defer pool.Close()
			for b.Loop() {
				if _, err := pool.Extract(b.Context(), page); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
