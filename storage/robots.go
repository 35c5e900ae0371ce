package storage

import (
	"bytes"
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"net/http"
	"time"

	"go.etcd.io/bbolt"

	"github.com/decorum-crawler/decorum/robots"
)

// Load returns the robots document of origin, or nil when there is none. A document
// whose body is missing or does not match its digest counts as none, so that it
// is fetched again.
func (s *State) Load(_ context.Context, origin string) (*robots.Document, error) {
	var document *robots.Document
	err := s.view(func(tx *bbolt.Tx) error {
		record := tx.Bucket(robotsBucket).Get([]byte(origin))
		if record == nil {
			return nil
		}
		var kept robotsRecord
		if err := unmarshal(record, &kept); err != nil {
			return err
		}
		loaded := &robots.Document{
			Origin: kept.Document.Origin, FinalURL: kept.Document.FinalURL, Status: kept.Document.Status, Header: kept.Document.Header,
			Truncated: kept.Document.Truncated, FetchedAt: kept.Document.FetchedAt,
			Body: bytes.Clone(tx.Bucket(bodiesBucket).Get(kept.key())),
		}
		if loaded.Digest() == kept.Digest {
			document = loaded
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("load robots.txt of %s: %w", origin, err)
	}
	return document, nil
}

// Save replaces the robots document of its origin. Every distinct body stays, so
// that an old decision can be derived again.
func (s *State) Save(_ context.Context, document *robots.Document) error {
	kept := robotsRecord{Document: robotsHead{
		Origin: document.Origin, FinalURL: document.FinalURL, Status: document.Status, Header: document.Header,
		Truncated: document.Truncated, FetchedAt: document.FetchedAt,
	}, Digest: document.Digest()}
	record, err := json.Marshal(kept)
	if err == nil {
		err = guard(func() error {
			return s.db.Update(func(tx *bbolt.Tx) error {
				if err := tx.Bucket(bodiesBucket).Put(kept.key(), document.Body); err != nil {
					return err
				}
				return tx.Bucket(robotsBucket).Put([]byte(document.Origin), seal(record))
			})
		})
	}
	if err != nil {
		return fmt.Errorf("save robots.txt of %s: %w", document.Origin, err)
	}
	return nil
}

// robotsRecord is a document whose body is in another bucket.
type robotsRecord struct {
	Document robotsHead
	Digest   string
}

// robotsHead is a document without its body. It has no error, since only
// responses are stored.
type robotsHead struct {
	Origin    string
	FinalURL  string
	Status    int
	Header    http.Header
	Truncated bool
	FetchedAt time.Time
}

// unmarshal decodes a sealed record that is JSON.
func unmarshal(sealed []byte, to any) error {
	record, err := unseal(sealed)
	if err != nil {
		return err
	}
	if err := json.Unmarshal(record, to); err != nil {
		return fmt.Errorf("%w: %w", errRecord, err)
	}
	return nil
}

func (r *robotsRecord) key() []byte {
	key, err := hex.DecodeString(r.Digest)
	if err != nil {
		return nil // no body has this key
	}
	return key
}
