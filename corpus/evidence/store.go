package evidence

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"regexp"
	"strings"

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

// ErrForeign means that a file is not one of a Store.
var ErrForeign = errors.New("no file of the evidence")

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

// Check returns an [ErrDigest] when the bytes in a file of the store have been
// changed, and an [ErrForeign] when the store names no file like that. The contents
// of notes are not checked.
func (s *Store) Check(name string) error {
	digest, _, _ := strings.Cut(path.Base(name), ".")
	switch {
	case noteName.MatchString(name):
		return nil
	case !digestName.MatchString(digest) || name != robotsName(digest) && name != fileName(digest):
		return fmt.Errorf("check evidence %s: %w", name, ErrForeign)
	}
	data, err := s.root.ReadFile(name)
	if err == nil && content.SHA256(data) != digest {
		err = fmt.Errorf("check evidence %s: %w", name, ErrDigest)
	}
	return err
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

var (
	digestName = regexp.MustCompile(`^[0-9a-f]{64}$`)
	noteName   = regexp.MustCompile(`^(` + RobotsDir + `|` + FilesDir + `)/[0-9a-f]{16}-{1,2}[0-9]+\.json$`)
)

// robotsName returns the name of the bytes of a robots.txt.
func robotsName(digest string) string { return RobotsDir + "/" + digest + ".txt" }

// fileName returns the name of the bytes of another file of a site.
func fileName(digest string) string { return FilesDir + "/" + digest + ".body" }
