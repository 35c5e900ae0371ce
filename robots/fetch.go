package robots

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"time"
)

// MaxRedirects is how many redirects [Fetch] follows (RFC 9309 §2.3.1.2).
const MaxRedirects = 5

// Errors of a retrieval; [Document.Err] wraps them.
var (
	// ErrRedirects means more than five redirects, or a loop of them.
	ErrRedirects = errors.New("too many redirects")
	// ErrRedirectScheme means a redirect away from http and https.
	ErrRedirectScheme = errors.New("redirect to another scheme than http or https")
)

// Fetch requests the robots.txt of origin. do sends one request without
// following redirects and decodes the content encoding of the response. Fetch
// follows at most five redirects itself, including to other hosts, whose answer
// then applies to origin (RFC 9309 §2.3.1.2). It never fails: Err of the
// document tells what went wrong.
func Fetch(ctx context.Context, origin string, do func(*http.Request) (*http.Response, error)) *Document {
	document := &Document{Origin: origin, FinalURL: origin + "/robots.txt"}
	if err := document.fetch(ctx, do); err != nil {
		document.Err = err
	}
	return document
}

func (d *Document) fetch(ctx context.Context, do func(*http.Request) (*http.Response, error)) error {
	seen := map[string]bool{}
	for range MaxRedirects + 1 {
		seen[d.FinalURL] = true
		next, err := d.hop(ctx, do)
		if err != nil || next == "" {
			return err
		}
		if seen[next] {
			return fmt.Errorf("fetch robots.txt of %s: loop at %s: %w", d.Origin, next, ErrRedirects)
		}
		d.FinalURL = next
	}
	return fmt.Errorf("fetch robots.txt of %s: %w", d.Origin, ErrRedirects)
}

// hop sends one request and returns the target of a redirect, or "".
func (d *Document) hop(ctx context.Context, do func(*http.Request) (*http.Response, error)) (string, error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, d.FinalURL, nil)
	if err != nil {
		return "", fmt.Errorf("fetch robots.txt of %s: %w", d.Origin, err)
	}
	response, err := do(request)
	d.FetchedAt = time.Now()
	if err != nil {
		d.Status = 0
		return "", fmt.Errorf("fetch robots.txt of %s: %w", d.Origin, err)
	}
	defer response.Body.Close()
	d.Status, d.Header = response.StatusCode, response.Header
	location := response.Header.Get("Location")
	if response.StatusCode/100 == 3 && location != "" {
		return d.target(request.URL, location)
	}
	if response.StatusCode/100 != 2 {
		return "", nil
	}
	if err := d.read(response.Body); err != nil {
		return "", fmt.Errorf("read robots.txt of %s: %w", d.Origin, err)
	}
	return "", nil
}

func (d *Document) target(from *url.URL, location string) (string, error) {
	to, err := from.Parse(location)
	if err != nil {
		return "", fmt.Errorf("fetch robots.txt of %s: redirect to %q: %w", d.Origin, location, err)
	}
	if to.Scheme != "http" && to.Scheme != "https" {
		return "", fmt.Errorf("fetch robots.txt of %s: redirect to %q: %w", d.Origin, location, ErrRedirectScheme)
	}
	to.Fragment, to.User = "", nil
	return to.String(), nil
}

// A Class is the meaning of a retrieval (RFC 9309 §2.3.1).
type Class string

// The classes.
const (
	ClassAvailable   Class = "available"   // 2xx: the rules count
	ClassUnavailable Class = "unavailable" // 4xx except 429: everything is allowed
	ClassUnreachable Class = "unreachable" // all else: nothing is allowed
)

// Class returns what the document means.
//
// Deviation: 429 counts as unreachable, since the server asks for less traffic
// and does not say what is allowed. A redirect without a target is unreachable
// as well.
func (d *Document) Class() Class {
	switch {
	case d.Err != nil:
		return ClassUnreachable
	case d.Status/100 == 2:
		return ClassAvailable
	case d.Status/100 == 4 && d.Status != http.StatusTooManyRequests:
		return ClassUnavailable
	default:
		return ClassUnreachable
	}
}

// Check judges pathQuery by the rules of the document if it is available, and
// else by its class.
func (d *Document) Check(agent, pathQuery string) Verdict {
	switch class := d.Class(); {
	case Normalize(pathQuery) == "/robots.txt":
		return Verdict{Allowed: true, Reason: ReasonRobotsTxtItself}
	case class == ClassUnavailable:
		return Verdict{Allowed: true, Reason: ReasonUnavailable}
	case class == ClassUnreachable:
		return Verdict{Reason: ReasonUnreachable}
	}
	return d.File().Check(agent, pathQuery)
}
