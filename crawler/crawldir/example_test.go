package crawldir_test

import (
	"context"
	"errors"
	"fmt"
	"log"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// Example crawls a site in two runs, checks the directory and reads its pages.
func Example() {
	web := testsite.New()
	defer web.Close()
	site := web.Site("shop")
	testsite.Shop(site, 5)
	path, err := os.MkdirTemp("", "crawl-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(path)

	if err := errors.Join(begin(path, site.URL()+"/"), resume(path), read(path)); err != nil {
		log.Fatal(err)
	}
	// Output:
	// 0 faults, 17 pages
}

// begin makes a directory and crawls into it, at most three pages.
func begin(path, seed string) error {
	settings := configs.Default()
	settings.Seed, settings.Delay = []string{seed}, 0
	dir, err := crawldir.Create(path, settings, crawldir.Options{})
	if err != nil {
		return err
	}
	return errors.Join(run(dir, 3), dir.Close())
}

// resume continues the crawl in a directory.
func resume(path string) error {
	dir, err := crawldir.Open(path, crawldir.Options{})
	if err != nil {
		return err
	}
	return errors.Join(run(dir, 0), dir.Close())
}

// run crawls into an open directory, up to a number of pages; 0 is no limit.
func run(dir *crawldir.Dir, pages int64) error {
	queue, err := dir.Frontier(frontier.Options{Pause: time.Millisecond})
	if err != nil {
		return err
	}
	options := crawler.Options{Links: true, MaxPages: pages}
	options.Fetch.Delay, options.Fetch.Allow.Loopback = -1, true // the site is on this machine
	dir.Connect(&options, queue)
	crawl, ctx := crawler.New(queue, options), context.Background()
	_, err = crawl.Seed(ctx, dir.Settings().Seed)
	_, failed := crawl.Run(ctx, nil)
	return errors.Join(err, failed, queue.Close())
}

// read checks a directory and reads its pages.
func read(path string) error {
	view, err := crawldir.Look(path)
	if err != nil {
		return err
	}
	faults, pages := 0, 0
	err = view.Verify(func(string) { faults++ })
	for _, failed := range view.Pages() {
		err = errors.Join(err, failed)
		pages++
	}
	fmt.Printf("%d faults, %d pages\n", faults, pages)
	return errors.Join(err, view.Close())
}
