package robots

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"
	"sync"
	"time"
)

// A Document is a robots.txt as it was fetched: the evidence for decisions that
// rest on it. Its methods are safe for concurrent use; the fields must not be
// changed once one of them has been called, and a document must not be copied.
type Document struct {
	Origin    string      // scheme://host[:port], whose rules these are
	FinalURL  string      // where the body came from, after redirects
	Status    int         // of the last response; 0 when there was none
	Header    http.Header // of the last response
	Body      []byte      // decoded, at most MaxBytes, cut to whole lines
	Truncated bool        // the body was longer
	FetchedAt time.Time
	Err       error `json:"-"` // why there is no answer; nil if there is one

	parse struct {
		sync.Once

		file     *File
		sitemaps []Sitemap
	}
	hash struct {
		sync.Once

		digest string
	}
}

// Cause returns the text of Err, or "" if it is nil.
func (d *Document) Cause() string {
	if d.Err == nil {
		return ""
	}
	return d.Err.Error()
}

// Failure returns in words why a document is unreachable: the text of Err, or
// else what its origin answered. It is "" for a document of another class.
func (d *Document) Failure() string {
	switch {
	case d.Class() != ClassUnreachable:
		return ""
	case d.Err != nil:
		return d.Err.Error()
	}
	return strings.TrimSpace(fmt.Sprintf("robots.txt of %s answered %d %s", d.Origin, d.Status, http.StatusText(d.Status)))
}

// Digest returns the SHA-256 of the body in hex.
func (d *Document) Digest() string {
	d.hash.Do(func() {
		sum := sha256.Sum256(d.Body)
		d.hash.digest = hex.EncodeToString(sum[:])
	})
	return d.hash.digest
}

// File returns the rules of the document. If they do not count, the file is
// empty. The document is parsed once, at the first call.
func (d *Document) File() *File {
	d.parse.Do(func() {
		if d.Class() == ClassAvailable {
			d.parse.file = Parse(d.Body)
		} else {
			d.parse.file = Parse(nil)
		}
		base, err := url.Parse(d.FinalURL)
		if err != nil || base.Scheme != "http" && base.Scheme != "https" {
			base = nil // a local file: relative sitemaps have no URL
		}
		d.parse.sitemaps = d.parse.file.resolve(base)
	})
	return d.parse.file
}

// A Store keeps the last usable document of each origin. Implementations are
// safe for concurrent use.
type Store interface {
	// Load returns the document of origin, or nil if there is none.
	Load(ctx context.Context, origin string) (*Document, error)
	// Save stores a document, replacing the last one of its origin.
	Save(ctx context.Context, document *Document) error
}

// Memory is a [Store] that lasts as long as the process. The zero value is ready.
type Memory struct {
	mu        sync.Mutex
	documents map[string]*Document
}

// Load returns the document of origin, or nil if there is none.
func (m *Memory) Load(_ context.Context, origin string) (*Document, error) {
	m.mu.Lock()
	defer m.mu.Unlock()
	return m.documents[origin], nil
}

// Save stores a document, replacing the last one of its origin.
func (m *Memory) Save(_ context.Context, document *Document) error {
	m.mu.Lock()
	defer m.mu.Unlock()
	if m.documents == nil {
		m.documents = map[string]*Document{}
	}
	m.documents[document.Origin] = document
	return nil
}

// MaxAge returns how long the document may be used without a new request: the
// max-age of Cache-Control, at most limit (RFC 9309 §2.4). Without a max-age it
// is limit.
func (d *Document) MaxAge(limit time.Duration) time.Duration {
	for _, line := range d.Header.Values("Cache-Control") {
		for part := range strings.SplitSeq(line, ",") {
			name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
			if !strings.EqualFold(name, "max-age") {
				continue
			}
			if seconds, err := strconv.ParseInt(strings.Trim(value, `"`), 10, 64); err == nil && seconds >= 0 {
				return min(limit, time.Duration(min(seconds, int64(limit/time.Second)))*time.Second)
			}
		}
	}
	return limit
}
