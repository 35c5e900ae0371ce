package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"iter"
	"net/http"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/internal/escape"
	"github.com/decorum-crawler/decorum/robots"
)

// The schemas of the notes.
const (
	RobotsSchema = "decorum.robots/1"
	FileSchema   = "decorum.sitefile/1"
)

// robotsNote is a decorum.robots/1 object.
type robotsNote struct {
	Schema    string      `json:"schema"`
	Origin    string      `json:"origin"`
	FinalURL  string      `json:"final_url"`
	Status    int         `json:"status"`
	Class     string      `json:"class"`
	FetchedAt time.Time   `json:"fetched_at"`
	Digest    string      `json:"digest"`
	Bytes     int         `json:"bytes"`
	Truncated bool        `json:"truncated"`
	Headers   http.Header `json:"headers"`
	Error     string      `json:"error"`
}

// KeepRobots stores a robots.txt and a note of the response. The note is written
// even when there is no file.
func (s *Store) KeepRobots(d *robots.Document) error {
	if len(d.Body) > 0 {
		if err := s.keep(robotsName(d.Digest()), d.Body); err != nil {
			return err
		}
	}
	return s.note(RobotsDir, d.Origin, d.FetchedAt, robotsNote{
		RobotsSchema, d.Origin, d.FinalURL, d.Status, string(d.Class()), d.FetchedAt.UTC(),
		d.Digest(), len(d.Body), d.Truncated, d.Header, d.Cause(),
	})
}

// Robots yields the robots.txt files that were fetched, those of an origin in the
// order of their times. Notes of an unreachable one, and files that were changed
// since, are left out. An error comes last and alone.
func (s *Store) Robots() iter.Seq2[*robots.Document, error] {
	return func(yield func(*robots.Document, error) bool) {
		names, err := fs.Glob(s.root.FS(), RobotsDir+"/*.json") // sorted, and so by origin and time
		for _, name := range names {
			var d *robots.Document
			if d, err = s.robots(name); err != nil {
				break
			}
			if d != nil && !yield(d, nil) {
				return
			}
		}
		if err != nil {
			yield(nil, fmt.Errorf("list evidence: %w", err))
		}
	}
}

// robots returns the robots.txt of a note; nil when it has none.
func (s *Store) robots(name string) (*robots.Document, error) {
	data, err := s.root.ReadFile(name)
	if err != nil {
		return nil, err
	}
	var n robotsNote
	if err := json.Unmarshal(data, &n); err != nil {
		return nil, fmt.Errorf("read %s: %w", name, err)
	}
	d := &robots.Document{
		Origin: n.Origin, FinalURL: n.FinalURL, Status: n.Status, Header: n.Headers, Truncated: n.Truncated, FetchedAt: n.FetchedAt,
	}
	if n.Class == string(robots.ClassUnreachable) {
		return nil, nil
	}
	if n.Bytes > 0 {
		d.Body, err = s.Load(n.Digest)
	}
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrDigest) {
		return nil, nil
	}
	return d, err
}

// A File is the response to a request for a file of a site other than robots.txt.
type File struct {
	URL       string // as requested
	Status    int    // 0: no response
	Header    http.Header
	Body      []byte // decoded
	FetchedAt time.Time
	Error     string // why there is no response
}

// fileNote is a decorum.sitefile/1 object.
type fileNote struct {
	Schema    string      `json:"schema"`
	URL       string      `json:"url"`
	Status    int         `json:"status"`
	FetchedAt time.Time   `json:"fetched_at"`
	Digest    string      `json:"digest"`
	Bytes     int         `json:"bytes"`
	Headers   http.Header `json:"headers"`
	Error     string      `json:"error"`
}

// KeepFile stores the body of a file, if its status is 2xx, and in any case a note
// of the response.
func (s *Store) KeepFile(f File) error {
	digest := content.SHA256(f.Body)
	if f.Status/100 == 2 && len(f.Body) > 0 {
		if err := s.keep(fileName(digest), f.Body); err != nil {
			return err
		}
	}
	return s.note(FilesDir, f.URL, f.FetchedAt, fileNote{FileSchema, f.URL, f.Status, f.FetchedAt.UTC(), digest, len(f.Body), f.Header, f.Error})
}

// note writes a note under the hash of the origin or URL that it is about.
func (s *Store) note(dir, of string, at time.Time, v any) error {
	data, err := json.MarshalIndent(v, "", "  ")
	if err != nil {
		return fmt.Errorf("store evidence: %w", err)
	}
	sum := sha256.Sum256([]byte(of))
	return s.keep(fmt.Sprintf("%s/%s-%d.json", dir, hex.EncodeToString(sum[:8]), at.UnixMilli()), append(escape.JSON(data), '\n'))
}

// A Note tells how a file of a site was fetched.
type Note struct {
	Schema    string // [RobotsSchema] or [FileSchema]
	URL       string // for a robots.txt after redirects
	Status    int    // 0: no response
	FetchedAt string // RFC 3339
	SHA256    string // of the bytes, in hex; empty when there were none
	Error     string // why there is no response
}

// Notes yields the notes of all responses, those for robots.txt files first, each
// folder in the order of the names. An error comes last and alone.
func (s *Store) Notes() iter.Seq2[Note, error] {
	return func(yield func(Note, error) bool) {
		for _, dir := range []string{RobotsDir, FilesDir} {
			entries, err := fs.ReadDir(s.root.FS(), dir)
			if err != nil && !errors.Is(err, fs.ErrNotExist) {
				yield(Note{}, fmt.Errorf("list evidence: %w", err))
				return
			}
			for _, entry := range entries {
				if !strings.HasSuffix(entry.Name(), ".json") {
					continue
				}
				note, err := s.read(dir + "/" + entry.Name())
				if !yield(note, err) || err != nil {
					return
				}
			}
		}
	}
}

// read reads a note of either schema.
func (s *Store) read(name string) (Note, error) {
	data, err := s.root.ReadFile(name)
	if err != nil {
		return Note{}, fmt.Errorf("list evidence: %w", err)
	}
	var n struct {
		Schema    string `json:"schema"`
		URL       string `json:"url"`
		FinalURL  string `json:"final_url"`
		Status    int    `json:"status"`
		FetchedAt string `json:"fetched_at"`
		Digest    string `json:"digest"`
		Bytes     int    `json:"bytes"`
		Error     string `json:"error"`
	}
	if err := json.Unmarshal(data, &n); err != nil {
		return Note{}, fmt.Errorf("read %s: %w", name, err)
	}
	note := Note{Schema: n.Schema, URL: n.URL, Status: n.Status, FetchedAt: n.FetchedAt, Error: n.Error}
	if note.URL == "" {
		note.URL = n.FinalURL
	}
	if n.Bytes > 0 {
		note.SHA256 = n.Digest
	}
	return note, nil
}
