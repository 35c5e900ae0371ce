package main

import (
	"context"
	"errors"
	"net/http"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
)

// writeOptOuts writes removals of documents whose sites opted out after the
// capture: in the last capture of the page, or in the last robots.txt in the
// archives. It finds what a recheck would find, without sending a request.
func (r *archiveBuild) writeOptOuts() error {
	pending, err := corpus.PendingRemovals(r.folder.Root())
	if err != nil {
		return err
	}
	found, err := corpus.LaterRefusals(r.folder.Root())
	if err == nil && r.source.Restated() {
		var more []corpus.Removal
		more, err = r.laterOptOuts()
		found = append(found, more...)
	}
	if err != nil {
		return err
	}
	var removals []corpus.Removal
	for _, removal := range found {
		if !pending[removal.ID] {
			pending[removal.ID] = true
			removals = append(removals, removal)
		}
	}
	if len(removals) == 0 {
		return nil
	}
	r.superseded = len(removals)
	r.removals, err = corpus.WriteRemovals(r.folder.Root(), time.Now(), removals)
	return err
}

// errNotAsked is returned instead of the header that a page has now.
var errNotAsked = errors.New("pages of archives are not requested again")

// laterOptOuts returns removals of documents that the last robots.txt or other
// file of their site in the archives excludes.
func (r *archiveBuild) laterOptOuts() ([]corpus.Removal, error) {
	checker := corpus.Rechecker{
		Options: r.build.options, Load: r.folder.Evidence().Load,
		Robots: func(_ context.Context, address string) (*robots.Document, error) {
			return r.source.LastRobots(frontier.OriginOf(address)), nil
		},
		File:   func(_ context.Context, address string) fetch.SiteFile { return r.source.File(address) },
		Header: func(context.Context, string) (int, http.Header, error) { return 0, nil, errNotAsked },
	}
	var removals []corpus.Removal
	err := checker.Each(r.stop.hard, r.folder.Root(), func(c corpus.Rechecked) error {
		if c.Decision.Train == signal.TrainExcluded {
			removals = append(removals, c.Removal(time.Now()))
		}
		return nil
	})
	return removals, err
}
