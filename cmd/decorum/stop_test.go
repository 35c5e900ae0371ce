package main

import (
	"bytes"
	"net/http"
	"os"
	"strings"
	"testing"

	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestSitemapCommandsEndAtASignal interrupts the commands while a server keeps
// them waiting.
func TestSitemapCommandsEndAtASignal(t *testing.T) {
	for _, command := range []string{"list", "validate"} {
		t.Run(command, func(t *testing.T) {
			web := testsite.New()
			defer web.Close()
			site := web.Site("shop")
			signals := make(chan os.Signal, 1)
			site.Handle("/sitemap.xml", func(_ http.ResponseWriter, r *http.Request) {
				signals <- os.Interrupt
				<-r.Context().Done()
			})
			released := false
			var out, errs bytes.Buffer
			code := run(environment{
				args:  []string{"sitemap", command, "--delay", "0", "--timeout", "20s", site.URL() + "/sitemap.xml"},
				stdin: strings.NewReader(""), stdout: &out, stderr: &errs, getenv: func(string) string { return "" },
				signals: func() (<-chan os.Signal, func()) { return signals, func() { released = true } },
			})
			if code != exitInterrupt || out.Len() > 0 || !released {
				t.Errorf("got %d, %q, %q, released %v", code, out.String(), errs.String(), released)
			}
		})
	}
}

// TestSitemapGenerateLeavesNothingWhenInterrupted sends the signal before the
// first page.
func TestSitemapGenerateLeavesNothingWhenInterrupted(t *testing.T) {
	folder, _ := crawledSite(t)
	output := t.TempDir()
	signals := make(chan os.Signal)
	release := func() {}
	catch := func() (<-chan os.Signal, func()) { return signals, release }
	g := &generation{options: generateOptions{output: output}, left: map[string]int{}}
	if err := g.open(output); err != nil {
		t.Fatal(err)
	}
	stop := newStopper(catch, nil)
	signals <- os.Interrupt
	<-stop.soft.Done()
	err := g.write(stop.soft, folder)
	stop.end()
	if closed := g.close(); err == nil || closed != nil || len(listing(t, output)) > 0 {
		t.Errorf("got %v, %v and %v, want an error and no file", err, closed, listing(t, output))
	}
}
