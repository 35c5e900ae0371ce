package fetch

import (
	"net/http"
	"net/http/httptest"
	"os"
	"syscall"
	"testing"
	"time"
)

// TestDialWaitsForAFile takes all files that this process may open while a
// request is made.
func TestDialWaitsForAFile(t *testing.T) {
	server := httptest.NewServer(http.NotFoundHandler())
	defer server.Close()
	client := New(Options{Delay: -1, Allow: Network{Loopback: true}})
	defer client.Close()
	var before syscall.Rlimit
	if err := syscall.Getrlimit(syscall.RLIMIT_NOFILE, &before); err != nil {
		t.Fatal(err)
	}
	few := before
	few.Cur = min(before.Cur, 200)
	if err := syscall.Setrlimit(syscall.RLIMIT_NOFILE, &few); err != nil {
		t.Fatal(err)
	}
	defer syscall.Setrlimit(syscall.RLIMIT_NOFILE, &before)
	var files []*os.File
	for {
		file, err := os.Open(os.DevNull)
		if err != nil {
			break
		}
		files = append(files, file)
	}
	time.AfterFunc(50*time.Millisecond, func() {
		for _, file := range files {
			_ = file.Close()
		}
	})
	if got, err := client.Get(t.Context(), Request{URL: server.URL + "/"}); err != nil || got.Status != http.StatusNotFound {
		t.Errorf("got %d, %v, want a response once files were closed", got.Status, err)
	}
}
