package corpus

import (
	"errors"
	"time"

	"github.com/decorum-crawler/decorum/corpus/signal"
	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/robots"
)

// Evidence is a decorum.evidence/1 object: everything that a decision is based
// on, except the files of the site, which are stored by their digests. One is
// written for every page with status 2xx, every redirect, and every URL that was
// refused.
type Evidence struct {
	Schema     string       `json:"schema"`
	ID         string       `json:"id"` // that of the document, see [DocumentID]
	URL        string       `json:"url"`
	FetchedAt  string       `json:"fetched_at"` // RFC 3339 with nanoseconds; the time of robots.txt when the page was not requested
	Status     int          `json:"status"`     // 0: not requested
	RedirectTo string       `json:"redirect_to"`
	Redirects  []string     `json:"way"`  // IDs of the redirects that led here, the first one first
	Head       bool         `json:"head"` // the page's own head was read
	Page       signal.Page  `json:"page"`
	Site       SiteEvidence `json:"site"`
}

// SiteEvidence names the files of an origin.
type SiteEvidence struct {
	Origin   string         `json:"origin"`
	Robots   FileEvidence   `json:"robots"`
	TDMRep   FileEvidence   `json:"tdmrep"`
	AITxt    FileEvidence   `json:"ai_txt"`
	Licenses []FileEvidence `json:"licenses"`
}

// FileEvidence names a file as it was fetched.
type FileEvidence struct {
	URL       string `json:"url"`
	Status    int    `json:"status"` // 0: no response, or never requested
	FetchedAt string `json:"fetched_at"`
	SHA256    string `json:"sha256"` // of the decoded body, in hex; empty without one
	Error     string `json:"error"`
}

const evidenceSchema = "decorum.evidence/1"

func fileEvidence(a fetch.SiteFile) FileEvidence {
	e := FileEvidence{URL: a.URL, Status: a.Status, FetchedAt: a.At.UTC().Format(time.RFC3339), Error: a.Cause()}
	if a.Status/100 == 2 {
		e.SHA256 = content.SHA256(a.Body)
	}
	return e
}

func robotsEvidence(d *robots.Document) FileEvidence {
	e := FileEvidence{URL: d.FinalURL, Status: d.Status, FetchedAt: d.FetchedAt.UTC().Format(time.RFC3339), Error: d.Cause()}
	if len(d.Body) > 0 {
		e.SHA256 = d.Digest()
	}
	return e
}

// site returns the site that the evidence describes; load returns a stored file
// by its digest.
func (e SiteEvidence) site(load func(digest string) ([]byte, error)) (signal.Site, error) {
	s := signal.Site{
		Robots:   &robots.Document{Origin: e.Origin, FinalURL: e.Robots.URL, Status: e.Robots.Status, Err: e.Robots.err()},
		Licenses: map[string]*signal.File{},
	}
	body, err := e.Robots.body(load)
	if err != nil {
		return s, err
	}
	s.Robots.Body = body
	if s.TDMRep, err = e.TDMRep.file(load); err != nil {
		return s, err
	}
	if s.AITxt, err = e.AITxt.file(load); err != nil {
		return s, err
	}
	for _, license := range e.Licenses {
		if s.Licenses[license.URL], err = license.file(load); err != nil {
			return s, err
		}
	}
	return s, nil
}

// err returns the recorded error of the request, or nil.
func (f FileEvidence) err() error {
	if f.Error == "" {
		return nil
	}
	return errors.New(f.Error)
}

func (f FileEvidence) body(load func(string) ([]byte, error)) ([]byte, error) {
	if f.SHA256 == "" {
		return nil, nil
	}
	return load(f.SHA256)
}

func (f FileEvidence) file(load func(string) ([]byte, error)) (*signal.File, error) {
	body, err := f.body(load)
	return &signal.File{Status: f.Status, Body: body}, err
}
