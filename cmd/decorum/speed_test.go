package main

import (
	"bufio"
	"bytes"
	"context"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"golang.org/x/net/html"
)

const (
	speedHosts = 50
	speedPages = 400
)

// speedPage returns a page of 20 KB with 30 links, of which about two are new to
// a crawl that reads the site in order.
func speedPage(n int) []byte {
	var b bytes.Buffer
	fmt.Fprintf(&b, "<!doctype html><html><head><title>Page %d</title></head><body>\n", n)
	for i := range 30 {
		fmt.Fprintf(&b, "<p><a href=\"/page/%d\">Page</a> %s</p>\n", (2*n+i%2+1+(i/2)*7)%speedPages, strings.Repeat("barley and rain ", 36))
	}
	b.WriteString("</body></html>\n")
	return b.Bytes()
}

// serveSpeed runs the sites in a separate process until its input ends.
func serveSpeed() {
	var pages [speedPages][]byte
	for i := range pages {
		pages[i] = speedPage(i)
	}
	handler := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		n, err := strconv.Atoi(strings.TrimPrefix(r.URL.Path, "/page/"))
		if err != nil || n < 0 || n >= speedPages {
			http.NotFound(w, r)
			return
		}
		w.Header().Set("Content-Type", "text/html; charset=utf-8")
		_, _ = w.Write(pages[n])
	})
	for range speedHosts {
		fmt.Fprintln(os.Stdout, httptest.NewServer(handler).URL+"/page/0")
	}
	_, _ = io.Copy(io.Discard, os.Stdin)
}

// crawlBare fetches the same pages with nothing but net/http and x/net/html.
func crawlBare(seeds []string) {
	client := &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: 1}}
	var hosts sync.WaitGroup
	for _, seed := range seeds {
		hosts.Go(func() {
			seen := map[string]bool{seed: true}
			for queue := []string{seed}; len(queue) > 0; queue = queue[1:] {
				for _, link := range bareLinks(client, queue[0]) {
					if !seen[link] {
						seen[link] = true
						queue = append(queue, link)
					}
				}
			}
		})
	}
	hosts.Wait()
}

func bareLinks(client *http.Client, address string) (links []string) {
	response, err := client.Get(address)
	if err != nil {
		panic(err)
	}
	defer response.Body.Close()
	base := response.Request.URL
	z := html.NewTokenizer(response.Body)
	for z.Next() != html.ErrorToken {
		if token := z.Token(); token.Type == html.StartTagToken && token.Data == "a" {
			for _, attribute := range token.Attr {
				if target, err := url.Parse(attribute.Val); attribute.Key == "href" && err == nil {
					links = append(links, base.ResolveReference(target).String())
				}
			}
		}
	}
	return links
}

// used runs a command on one core and returns its CPU time and peak memory.
func used(b *testing.B, command *exec.Cmd) (cpu time.Duration, peakMiB float64) {
	b.Helper()
	command.Env = append(command.Environ(), "GOMAXPROCS=1")
	if out, err := command.CombinedOutput(); err != nil {
		b.Fatalf("%v: %v\n%s", command.Args, err, out)
	}
	usage := command.ProcessState.SysUsage().(*syscall.Rusage)
	return command.ProcessState.UserTime() + command.ProcessState.SystemTime(), float64(usage.Maxrss) / 1024
}

// BenchmarkCrawl crawls 50 sites of 400 pages of 20 KB without delay, and does
// the same fetches with a bare crawler, and once more with an archive: CPU per
// page of each, and the ratio of the first two.
func BenchmarkCrawl(b *testing.B) {
	test, err := os.Executable()
	if err != nil {
		b.Fatal(err)
	}
	program := filepath.Join(b.TempDir(), "decorum")
	if out, err := exec.Command("go", "build", "-o", program, ".").CombinedOutput(); err != nil {
		b.Fatalf("build: %v\n%s", err, out)
	}
	ctx, cancel := context.WithCancel(b.Context())
	defer cancel()
	server := exec.CommandContext(ctx, test)
	server.Env = append(server.Environ(), "DECORUM_SPEED=server")
	if _, err := server.StdinPipe(); err != nil {
		b.Fatal(err)
	}
	out, err := server.StdoutPipe()
	if err != nil {
		b.Fatal(err)
	}
	if err := server.Start(); err != nil {
		b.Fatal(err)
	}
	var seeds []string
	for lines := bufio.NewScanner(out); len(seeds) < speedHosts && lines.Scan(); {
		seeds = append(seeds, lines.Text())
	}
	for b.Loop() {
		bare := exec.Command(test, seeds...)
		bare.Env = append(bare.Environ(), "DECORUM_SPEED=bare")
		bareCPU, _ := used(b, bare)
		crawl := func(name string, more ...string) (time.Duration, float64) {
			args := append([]string{"crawl", "-o", filepath.Join(b.TempDir(), name), "--delay", "0", "--progress", "none"}, more...)
			return used(b, exec.Command(program, append(args, seeds...)...))
		}
		cpu, peak := crawl("crawl" + strconv.Itoa(b.N))
		archived, archivedPeak := crawl("archive"+strconv.Itoa(b.N), "--store", "warc")
		const pages = speedHosts * speedPages
		b.ReportMetric(float64(cpu.Microseconds())/pages, "us/page")
		b.ReportMetric(float64(bareCPU.Microseconds())/pages, "bare-us/page")
		b.ReportMetric(float64(cpu)/float64(bareCPU), "ratio")
		b.ReportMetric(peak, "peak-MiB")
		b.ReportMetric(float64(archived.Microseconds())/pages, "warc-us/page")
		b.ReportMetric(archivedPeak, "warc-peak-MiB")
	}
}
