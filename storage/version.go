package storage

import (
	"encoding/json"
	"fmt"
	"time"

	"go.etcd.io/bbolt"
)

// versionsBucket is newer than the other buckets: a state without one has no
// versions.
var versionsBucket = []byte("versions")

// Version describes a sitemap file as it was when it was last read.
type Version struct {
	ETag         string    `json:"etag,omitempty"`
	LastModified string    `json:"last_modified,omitempty"` // as sent by the server
	Index        bool      `json:"index,omitempty"`
	ReadAt       time.Time `json:"read_at"`
}

// Version returns the version of the file at a URL; ok is false when there is none.
func (s *State) Version(address string) (v Version, ok bool, err error) {
	err = s.view(func(tx *bbolt.Tx) error {
		bucket := tx.Bucket(versionsBucket)
		if bucket == nil {
			return nil
		}
		record := bucket.Get([]byte(address))
		if record == nil {
			return nil
		}
		if err := unmarshal(record, &v); err != nil {
			return err
		}
		ok = true
		return nil
	})
	if err != nil {
		return v, false, fmt.Errorf("load version of %s: %w", address, err)
	}
	return v, ok, nil
}

// SaveVersion replaces the version of the file at a URL.
func (s *State) SaveVersion(address string, v Version) error {
	record, err := json.Marshal(v)
	if err == nil {
		err = guard(func() error {
			return s.db.Update(func(tx *bbolt.Tx) error {
				bucket, err := tx.CreateBucketIfNotExists(versionsBucket)
				if err != nil {
					return err
				}
				return bucket.Put([]byte(address), seal(record))
			})
		})
	}
	if err != nil {
		return fmt.Errorf("save version of %s: %w", address, err)
	}
	return nil
}
