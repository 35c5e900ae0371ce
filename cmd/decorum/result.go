package main

import (
	"errors"
	"fmt"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/frontier"
)

// resultError returns the error that carries the exit code of a finished crawl.
func resultError(c configs.Config, result crawler.Result, stats frontier.Stats, stop *stopper) error {
	if code, ok := stop.exitCode(); ok {
		if code == exitIO {
			return &commandError{code: exitIO, err: errors.New("free disk space is below min-free-disk"), hint: "free some space, then run decorum resume on the directory"}
		}
		return &commandError{code: code}
	}
	if err := nothingDone(result); err != nil {
		return err
	}
	for _, condition := range c.FailOn {
		switch {
		case condition == "blocked" && result.Skips[frontier.SkipRobotsDisallow] > 0,
			condition == "errors" && failures(result) > 0:
			return errFindings
		case condition == "partial" && stats.Pending > 0:
			return &commandError{code: exitPartial}
		}
	}
	return nil
}

func failures(result crawler.Result) int64 {
	n := int64(0)
	for status, count := range result.Statuses {
		if status == 0 || status >= 400 {
			n += count
		}
	}
	return n
}

// nothingDone returns an error with the causes if every seed failed and nothing
// else was fetched.
func nothingDone(result crawler.Result) error {
	if len(result.Seeds) == 0 || result.Pages > result.Statuses[0] {
		return nil
	}
	var faults []error
	for _, seed := range result.Seeds {
		switch {
		case !seed.Failed():
			return nil
		case seed.Rule.Line > 0:
			faults = append(faults, fmt.Errorf("%s is blocked by robots.txt, line %d: %s", seed.URL, seed.Rule.Line, seed.Rule))
		case seed.Skip != "" && seed.Error != "":
			faults = append(faults, fmt.Errorf("%s was skipped: %s: %s", seed.URL, seed.Skip, seed.Error))
		case seed.Skip != "":
			faults = append(faults, fmt.Errorf("%s was skipped: %s", seed.URL, seed.Skip))
		default:
			faults = append(faults, fmt.Errorf("%s could not be fetched: %s", seed.URL, seed.Error))
		}
	}
	return &commandError{
		code: exitNothing, err: fmt.Errorf("nothing was crawled: %w", errors.Join(faults...)),
		hint: "check the address, or ask the owner of the site; decorum robots explain shows which rule blocks a URL",
	}
}
