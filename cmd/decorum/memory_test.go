package main

import (
	"bytes"
	"flag"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// full runs the tests of memory at the sizes that docs name; it takes minutes.
var full = flag.Bool("full", false, "run the tests of memory at full size")

// peakOf runs the program to its end and returns the most memory that it held.
func peakOf(t *testing.T, program string, args ...string) (mib int64, output string) {
	t.Helper()
	var out bytes.Buffer
	command := exec.CommandContext(t.Context(), program, args...)
	command.Stdout, command.Stderr = &out, &out
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	peak := watchPeak(command.Process.Pid, 5*time.Millisecond)
	err := command.Wait()
	mib = peak() >> 20
	if err != nil {
		t.Fatalf("decorum %s: %v\n%s", strings.Join(args, " "), err, out.String())
	}
	return mib, out.String()
}

// watchPeak looks at the memory of a process again and again. The result ends that
// and returns the most that was seen, in bytes. Rusage.Maxrss is not used: it also
// counts the test that started the process.
func watchPeak(pid int, pause time.Duration) func() int64 {
	status := fmt.Sprintf("/proc/%d/status", pid)
	done := make(chan struct{})
	var most int64
	var watch sync.WaitGroup
	watch.Go(func() {
		for {
			if kib, ok := highWater(status); ok {
				most = kib << 10
			}
			select {
			case <-done:
				return
			case <-time.After(pause):
			}
		}
	})
	return func() int64 {
		close(done)
		watch.Wait()
		return most
	}
}

// highWater returns the peak resident size of a process in KiB.
func highWater(status string) (kib int64, ok bool) {
	data, err := os.ReadFile(status)
	if err != nil {
		return 0, false
	}
	_, after, found := strings.Cut(string(data), "VmHWM:")
	if !found {
		return 0, false
	}
	_, err = fmt.Sscan(after, &kib)
	return kib, err == nil
}

// heavySites starts n sites whose pages are pageBytes long; the first pages are
// answered only when all n are asked for. It returns their addresses.
func heavySites(t *testing.T, n, pages, pageBytes int) []string {
	t.Helper()
	var asked sync.WaitGroup
	asked.Add(n)
	var seeds []string
	for i := range n {
		var first sync.Once
		server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
			if r.URL.Path == "/robots.txt" {
				return
			}
			first.Do(func() { asked.Done(); asked.Wait() })
			heavyPage(w, i, pages, pageBytes)
		}))
		t.Cleanup(server.Close)
		seeds = append(seeds, server.URL+"/")
	}
	return seeds
}

var noise = func() []byte {
	data := make([]byte, 64<<10)
	state := uint32(1)
	for i := range data {
		state ^= state << 13
		state ^= state >> 17
		state ^= state << 5
		data[i] = byte('0' + state%75)
		if data[i] == '<' || data[i] == '&' {
			data[i] = ' '
		}
	}
	return data
}()

func heavyPage(w http.ResponseWriter, kind, pages, size int) {
	switch kind % 3 {
	case 0:
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
	case 1:
		w.Header().Set("Content-Type", "text/html; charset=windows-1251")
	case 2:
		w.Header().Set("Content-Type", "text/html")
		w.Header().Set("Content-Length", fmt.Sprint(size))
	}
	var head strings.Builder
	head.WriteString("<title>heavy</title>")
	for i := range pages {
		fmt.Fprintf(&head, "<a href=/%d>page</a>", i)
	}
	n, _ := io.WriteString(w, head.String())
	part := noise
	if kind%3 == 1 {
		part = bytes.Repeat([]byte{0xe4, 0xf6, ' ', 0xc0 + byte(kind%32)}, 16<<10)
	}
	for n < size {
		m, err := w.Write(part[:min(len(part), size-n)])
		if err != nil {
			return
		}
		n += m
	}
}

func TestMemoryOfBodies(t *testing.T) {
	if testing.Short() {
		t.Skip("transfers 800 MB")
	}
	program := program(t)
	for _, mode := range []string{"pages", "warc", "corpus"} {
		t.Run(mode, func(t *testing.T) {
			dir := filepath.Join(t.TempDir(), "out")
			args := []string{"crawl", "-o", dir, "--progress", "none", "--delay", "0", "--min-free-disk", "0", "--store", mode}
			if mode == "corpus" {
				args = append([]string{"corpus", "build"}, args[1:9]...)
			}
			mib, out := peakOf(t, program, append(args, heavySites(t, 32, 2, 13<<20)...)...)
			t.Logf("%d MiB", mib)
			if mib >= 256 {
				t.Errorf("got %d MiB, want less than 256\n%s", mib, out)
			}
		})
	}
}

// treeSite starts a site with n pages, each of which links to ten others.
func treeSite(t *testing.T, n int) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		var page int
		if r.URL.Path == "/robots.txt" {
			return
		}
		fmt.Sscanf(r.URL.Path, "/a/page-%d/of-a-shop-with-many-pages", &page)
		w.Header().Set("Content-Type", "text/html")
		fmt.Fprintf(w, "<title>Page %d</title>", page)
		for i := page*10 + 1; i <= page*10+10 && i < n; i++ {
			fmt.Fprintf(w, "<a href=/a/page-%d/of-a-shop-with-many-pages>%d</a>", i, i)
		}
		w.Write(noise[:8<<10])
	}))
	t.Cleanup(server.Close)
	return server.URL + "/"
}

func TestMemoryOfURLs(t *testing.T) {
	if !*full {
		t.Skip("crawls 200,000 pages")
	}
	dir := filepath.Join(t.TempDir(), "out")
	mib, out := peakOf(t, program(t), "crawl", "-o", dir, "--progress", "none", "--delay", "0", "--min-free-disk", "0", treeSite(t, 200_000))
	t.Logf("%d MiB", mib)
	if mib >= 256 {
		t.Errorf("got %d MiB, want less than 256\n%s", mib, out)
	}
}

// manySites starts n sites, each on its own loopback address, whose robots.txt is
// robotsBytes long. It returns a file with their URLs.
func manySites(t *testing.T, n, robotsBytes int) (list string) {
	t.Helper()
	var rules bytes.Buffer
	rules.WriteString("User-agent: *\n")
	for i := 0; rules.Len() < robotsBytes; i++ {
		fmt.Fprintf(&rules, "Disallow: /private/%d\n", i)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/robots.txt":
			w.Write(rules.Bytes())
		case "/":
			w.Header().Set("Content-Type", "text/html")
			io.WriteString(w, "<a href=/1>1</a><a href=/2>2</a><a href=/private/1>3</a>")
		}
	})
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	t.Cleanup(func() { server.Close() })
	var seeds strings.Builder
	for i := range n {
		listener, err := new(net.ListenConfig).Listen(t.Context(), "tcp4", fmt.Sprintf("127.1.%d.%d:0", i/250, i%250+1))
		if err != nil {
			t.Fatal(err)
		}
		go server.Serve(listener)
		fmt.Fprintf(&seeds, "http://%s/\n", listener.Addr())
	}
	list = filepath.Join(t.TempDir(), "seeds")
	if err := os.WriteFile(list, []byte(seeds.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	return list
}

func TestMemoryOfRobots(t *testing.T) {
	if !*full {
		t.Skip("asks 10,600 sites")
	}
	for _, test := range [][2]int{{10_000, 50 << 10}, {600, 490 << 10}} {
		dir := filepath.Join(t.TempDir(), "out")
		mib, out := peakOf(t, program(t), "crawl", "-o", dir, "--progress", "none", "--delay", "100ms", "--min-free-disk", "0", "--seeds", manySites(t, test[0], test[1]))
		t.Logf("%d sites: %d MiB", test[0], mib)
		if mib >= 300 {
			t.Errorf("got %d MiB for %d sites, want less than 300\n%s", mib, test[0], out)
		}
	}
}
