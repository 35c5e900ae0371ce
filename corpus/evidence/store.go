package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sync/singleflight"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// The folders of a crawl directory.
const (
	RobotsDir = "robots"   // of robots.txt files
	FilesDir  = "evidence" // of the other files of sites
)

// ErrDigest means that the bytes of a file do not have the digest in its name.
var ErrDigest = errors.New("digest mismatch: the file was changed after it was stored")

// A Store keeps evidence in a crawl directory. It is safe for concurrent use, but
// two Stores must not write to one directory at the same time.
type Store struct {
	root    *os.Root
	keeping singleflight.Group // by name
}

// New returns a Store in root, which the caller closes.
func New(root *os.Root) *Store { return &Store{root: root} }

// Load returns the stored bytes with that SHA-256, given in hex. It returns an
// [ErrDigest] when the bytes have been changed, and an fs.ErrNotExist when no such
// bytes are stored.
func (s *Store) Load(digest string) ([]byte, error) {
	for _, name := range []string{robotsName(digest), fileName(digest)} {
		data, err := s.root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if content.SHA256(data) != digest {
			return nil, fmt.Errorf("load evidence %s: %w", name, ErrDigest)
		}
		return data, nil
	}
	return nil, fmt.Errorf("load evidence %s: %w", digest, fs.ErrNotExist)
}

// keep writes a file unless it exists. Several sites may return equal files at the
// same time, so writes are serialized by name.
func (s *Store) keep(name string, data []byte) error {
	_, err, _ := s.keeping.Do(name, func() (any, error) {
		if _, err := s.root.Lstat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := atomicfile.MakeFolder(s.root, path.Dir(name)); err != nil {
			return nil, err
		}
		return nil, atomicfile.WriteData(s.root, name, data)
	})
	if err != nil {
		return fmt.Errorf("store evidence: %w", err)
	}
	return nil
}

// robotsName returns the name of the bytes of a robots.txt.
func robotsName(digest string) string { return RobotsDir + "/" + digest + ".txt" }

// fileName returns the name of the bytes of another file of a site.
func fileName(digest string) string { return FilesDir + "/" + digest + ".body" }
