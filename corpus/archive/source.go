package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/maphash"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/crawler/fetch"
	"github.com/decorum-crawler/decorum/robots"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// Options of a [Source].
type Options struct {
	MaxBytes int64 // of the decoded body of a page; longer bodies are cut
	// MaxStated bounds the memory for the files of sites, in bytes; 0: 1 GiB. If they
	// need more, Open returns [ErrStated].
	MaxStated int64
	Read      *atomic.Int64 // counts bytes of archives as they are read, each file twice; may be nil
}

// ErrStated means that the robots.txt and other site files of the archives need
// more memory than [Options].MaxStated.
var ErrStated = errors.New("archive: robots.txt and other site files exceed the memory limit")

// A Source reads archives. It is not safe for concurrent use.
type Source struct {
	inputs     []corpus.Input
	options    Options
	sites      *sites
	payloads   map[string]*place // by the digests of revisits; nil until the original record is read
	hops       map[string]string // redirects by their targets
	redirected map[string]bool   // URLs that were redirects
	seed       maphash.Seed
	seen       map[uint64]bool  // hashes of URLs and times of pages of 2xx
	others     map[string]int64 // records without a page, by kind
}

// place is where a payload is.
type place struct {
	input  string
	offset int64
}

// Open reads archives for the files of sites. Its error names the archive, and the
// place in it that cannot be read.
func Open(ctx context.Context, names []string, options Options) (*Source, error) {
	if options.Read == nil {
		options.Read = new(atomic.Int64)
	}
	if options.MaxStated == 0 {
		options.MaxStated = 1 << 30
	}
	s := &Source{
		options: options, sites: newSites(), payloads: map[string]*place{}, hops: map[string]string{}, redirected: map[string]bool{}, others: map[string]int64{},
		seed: maphash.MakeSeed(), seen: map[uint64]bool{},
	}
	for _, name := range names {
		input, err := s.survey(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read archive %s: %w", name, err)
		}
		s.inputs = append(s.inputs, input)
	}
	s.sites.sortByTime()
	return s, nil
}

// Inputs returns the archives with their digests.
func (s *Source) Inputs() []corpus.Input { return s.inputs }

// Missing returns how many of the requested files are not in the archives, by
// name: "tdmrep.json", "ai.txt" and "license".
func (s *Source) Missing() map[string]int64 { return s.sites.missing }

// Others returns how many records contain no page, by kind.
func (s *Source) Others() map[string]int64 { return s.others }

// Restated reports whether the archives have several versions of a robots.txt, so
// that a later one may forbid what an earlier one did not.
func (s *Source) Restated() bool {
	for _, all := range s.sites.robots {
		if len(all) > 1 {
			return true
		}
	}
	return false
}

// LastRobots returns the last robots.txt of an origin in the archives.
func (s *Source) LastRobots(origin string) *robots.Document {
	return s.sites.make(origin, s.sites.lastAsked(origin+"/robots.txt"), time.Time{})
}

// File returns the last version of a file of a site. Its Err is set when the file
// is not in the archives.
func (s *Source) File(address string) fetch.SiteFile { return s.sites.file(address) }

// survey reads one archive for the files of sites and the digests of revisits.
func (s *Source) survey(ctx context.Context, name string) (corpus.Input, error) {
	file, err := os.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0) // a pipe must not block
	if err != nil {
		return corpus.Input{}, err
	}
	defer file.Close()
	switch info, err := file.Stat(); {
	case err != nil:
		return corpus.Input{}, err
	case info.IsDir():
		return corpus.Input{}, &fs.PathError{Op: "read", Path: name, Err: syscall.EISDIR}
	case !info.Mode().IsRegular():
		return corpus.Input{}, errors.New("not a file: archives are read several times")
	}
	sum, counted := sha256.New(), &counter{r: file, all: s.options.Read, stopped: ctx.Err}
	reader, cut := warc.NewReader(io.TeeReader(counted, sum)), ""
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = ctx.Err()
		}
		if err == nil {
			err = s.note(record)
		}
		if err == nil && s.sites.size > s.options.MaxStated {
			err = fmt.Errorf("%w of %d bytes", ErrStated, s.options.MaxStated)
		}
		if errors.Is(err, warc.ErrCut) && reader.Whole() > 0 {
			cut = err.Error()
			break
		}
		if err != nil {
			return corpus.Input{}, err
		}
	}
	return corpus.Input{Name: filepath.ToSlash(name), Bytes: counted.n, SHA256: hex.EncodeToString(sum.Sum(nil)), Cut: cut}, nil
}

// note keeps the parts of a record that pages may need later.
func (s *Source) note(record *warc.Record) error {
	switch record.Type() {
	case typeRevisit:
		if digest := payloadDigest(record); digest != "" {
			s.payloads[digest] = nil
			s.sites.size += entrySize
		}
	case typeResponse:
	default:
		return nil
	}
	address, ok := canonical(record.URL())
	if !ok || !s.sites.wants(address, record) {
		return nil
	}
	digests := newDigests(record)
	got, err := readResponse(record, maxFile)
	if errors.Is(err, warc.ErrCut) || err != nil && !errors.Is(err, warc.ErrSyntax) {
		return err
	}
	if err == nil && !digests.agree(record) {
		err = errDamaged
	}
	s.sites.add(address, record, got, err)
	return nil
}

// payloadDigest returns the payload digest of a record, or "" when the field is
// longer than any digest.
func payloadDigest(record *warc.Record) string {
	if digest := record.Field("WARC-Payload-Digest"); len(digest) <= 256 {
		return digest
	}
	return ""
}

// again reports whether a page with status 2xx was read before. A document is
// identified by its URL and time. The random seed keeps archives from causing
// collisions on purpose.
func (s *Source) again(address string, at time.Time) bool {
	key := maphash.String(s.seed, address+" "+at.Format(time.RFC3339Nano))
	if s.seen[key] {
		s.others["duplicate URL and time"]++
		return true
	}
	s.seen[key] = true
	return false
}

// counter counts the bytes that are read. Since it is below the decompression, it
// can also stop the reading of a record of any length.
type counter struct {
	r       io.Reader
	n       int64
	all     *atomic.Int64
	stopped func() error
}

// Read reads from the file, unless stopped returns an error.
func (c *counter) Read(p []byte) (int, error) {
	if err := c.stopped(); err != nil {
		return 0, err
	}
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.all.Add(int64(n))
	return n, err
}
