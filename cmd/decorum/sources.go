package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/frontier"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/sitemap"
)

// auditSources opens robots.txt files and sitemaps, from the network or from
// local files that replace them.
type auditSources struct {
	client   *fetch.Client    // nil: nothing is fetched
	draft    *robots.Document // judges the sites asked for, if there is one
	origins  []string         // of the sites
	sitemaps []string         // that replace those that robots.txt names
	local    map[string]string
	base     frontier.Base
}

func newAuditSources(env environment, c configs.Config, sites []string, o *auditOptions, pages *pageCheck) (*auditSources, error) {
	s := &auditSources{local: map[string]string{}, base: frontier.NewBase(sites[0])}
	for _, site := range sites {
		s.origins = append(s.origins, frontier.OriginOf(site))
	}
	if o.robots != "" {
		draft, err := readRobots(o.robots)
		if err != nil {
			return nil, err
		}
		draft.FetchedAt = time.Now()
		s.draft = draft
	}
	for _, name := range o.sitemaps {
		if strings.Contains(name, "://") {
			s.sitemaps = append(s.sitemaps, name)
			continue
		}
		if _, err := os.Stat(name); err != nil {
			return nil, &commandError{code: exitIO, err: fmt.Errorf("read sitemap: %w", err), hint: "name a readable file or a URL with --sitemap"}
		}
		served := s.served(name)
		s.local[served] = name
		s.sitemaps = append(s.sitemaps, served)
	}
	if !o.offline() {
		options := fetchOptions(env, c, sites)
		options.OwnSitemaps = true
		pages.connect(&options)
		s.client = fetch.New(options)
	}
	return s, nil
}

// served returns the URL at which a local file replaces one of the site: its
// name in the root folder, or its whole path as one name if another file has
// that URL.
func (s *auditSources) served(name string) string {
	address := url.URL{Path: "/" + filepath.Base(name)}
	if _, taken := s.local[s.origins[0]+address.EscapedPath()]; taken {
		address.Path = "/" + strings.ReplaceAll(filepath.ToSlash(filepath.Clean(name)), "/", "-")
	}
	return s.origins[0] + address.EscapedPath()
}

func (s *auditSources) close() {
	if s.client != nil {
		s.client.Close()
	}
}

// errOffline means that something would have to be fetched.
var errOffline = errors.New("not fetched, since --robots and --sitemap name local files only")

// robots returns the draft for the hosts of the sites, with http and with https,
// and for other hosts what they answer.
func (s *auditSources) robots(ctx context.Context, origin string) (*robots.Document, error) {
	_, host, _ := strings.Cut(origin, "://")
	switch {
	case s.draft != nil && (slices.Contains(s.origins, "https://"+host) || slices.Contains(s.origins, "http://"+host)):
		return &robots.Document{
			Origin: origin, FinalURL: s.draft.FinalURL, Status: s.draft.Status, Body: s.draft.Body,
			Truncated: s.draft.Truncated, FetchedAt: s.draft.FetchedAt,
		}, nil
	case s.client == nil:
		return &robots.Document{Origin: origin, FinalURL: origin + "/robots.txt", Err: errOffline, FetchedAt: time.Now()}, nil
	}
	return s.client.Robots(ctx, origin+"/")
}

func (s *auditSources) open(ctx context.Context, address string) (sitemap.Body, error) {
	if name, ok := s.local[address]; ok {
		file, err := openInput(name)
		return sitemap.Body{ReadCloser: file}, err
	}
	if s.client == nil {
		return sitemap.Body{}, errOffline
	}
	body, err := crawler.OpenSitemap(ctx, s.client, address)
	if blocked, ok := errors.AsType[*fetch.BlockedError](err); ok {
		return sitemap.Body{}, &audit.BlockedError{Err: err, Verdict: blocked.Verdict}
	}
	return body, err
}

func (s *auditSources) canonical(address string) (string, error) {
	return s.base.Resolve(address, 0)
}

// named replaces the URL of a local file by the file's name.
func (s *auditSources) named(address string) string {
	if name, ok := s.local[address]; ok {
		return name
	}
	return address
}

// finding is f with the names of local files.
func (s *auditSources) finding(f audit.Finding) audit.Finding {
	f.Sitemap = s.named(f.Sitemap)
	return f
}
