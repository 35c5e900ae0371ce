package evidence

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"

	"golang.org/x/sync/singleflight"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
)

// The folders of a crawl directory.
const (
	RobotsDir = "robots"   // of robots.txt files
	FilesDir  = "evidence" // of the other files of sites
)

// ErrDigest means that the bytes of a file do not have the digest that it is
// named after.
var ErrDigest = errors.New("its digest is not its name")

// A Store keeps evidence in a crawl directory. It is safe for concurrent use;
// two Stores must not keep files in one directory at the same time.
type Store struct {
	root    *os.Root
	keeping singleflight.Group // by name
}

// New returns a Store in root, which stays the caller's to close.
func New(root *os.Root) *Store { return &Store{root: root} }

// Load returns the bytes of that SHA-256 in hex. Their digest is checked; a
// wrong one is an [ErrDigest]. It returns an fs.ErrNotExist when no such bytes
// were kept.
func (s *Store) Load(digest string) ([]byte, error) {
	for _, name := range []string{robotsName(digest), fileName(digest)} {
		data, err := s.root.ReadFile(name)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		if digestOf(data) != digest {
			return nil, fmt.Errorf("%s: %w", name, ErrDigest)
		}
		return data, nil
	}
	return nil, fmt.Errorf("evidence %s: %w", digest, fs.ErrNotExist)
}

// keep writes a file that never changes; one that exists is left as it is.
// Sites with equal files answer at the same time, so each name is written once.
func (s *Store) keep(name string, data []byte) error {
	_, err, _ := s.keeping.Do(name, func() (any, error) {
		if _, err := s.root.Lstat(name); err == nil || !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		if err := s.root.MkdirAll(path.Dir(name), 0o700); err != nil {
			return nil, err
		}
		return nil, atomicfile.WriteData(s.root, name, data)
	})
	if err != nil {
		return fmt.Errorf("keep evidence: %w", err)
	}
	return nil
}

// robotsName returns the name of the bytes of a robots.txt.
func robotsName(digest string) string { return RobotsDir + "/" + digest + ".txt" }

// fileName returns the name of the bytes of another file of a site.
func fileName(digest string) string { return FilesDir + "/" + digest + ".body" }

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
