package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync/atomic"

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// Options of a [Source].
type Options struct {
	MaxBytes int64         // bodies of pages are cut there, decoded
	Read     *atomic.Int64 // counts bytes of files as they are read, each file twice; may be nil
}

// A Source reads archives. It is not safe for concurrent use.
type Source struct {
	inputs   []corpus.Input
	options  Options
	sites    *sites
	payloads map[string]*place // by the digests that revisits have; nil until their record was met
	hops     map[string]string // redirects by their targets
	led      map[string]bool   // URLs that were redirects
	others   map[string]int64  // records that hold no page, by what they are
}

// place is where a payload stands.
type place struct {
	input  string
	offset int64
}

// Open reads archives for what sites state. An error names the file that cannot
// be read, and where.
func Open(ctx context.Context, names []string, options Options) (*Source, error) {
	if options.Read == nil {
		options.Read = new(atomic.Int64)
	}
	s := &Source{
		options: options, sites: newSites(), payloads: map[string]*place{}, hops: map[string]string{}, led: map[string]bool{}, others: map[string]int64{},
	}
	for _, name := range names {
		input, err := s.survey(ctx, name)
		if err != nil {
			return nil, fmt.Errorf("read archive %s: %w", name, err)
		}
		s.inputs = append(s.inputs, input)
	}
	return s, nil
}

// Inputs gives the files with their digests.
func (s *Source) Inputs() []corpus.Input { return s.inputs }

// Missing gives how many files were asked for that are not in the archives, by
// their names: tdmrep.json, ai.txt and license files.
func (s *Source) Missing() map[string]int64 { return s.sites.missing }

// Others gives how many records hold no page, by what they are.
func (s *Source) Others() map[string]int64 { return s.others }

// survey reads one file for what sites state and which payloads are asked for.
func (s *Source) survey(ctx context.Context, name string) (corpus.Input, error) {
	file, err := os.Open(name)
	if err != nil {
		return corpus.Input{}, err
	}
	defer file.Close()
	sum, counted := sha256.New(), &counter{r: file, all: s.options.Read}
	reader := warc.NewReader(io.TeeReader(counted, sum))
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
		if err != nil {
			return corpus.Input{}, err
		}
	}
	return corpus.Input{Name: filepath.ToSlash(name), Bytes: counted.n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
}

// note keeps of a record what pages may need.
func (s *Source) note(record *warc.Record) error {
	switch record.Type() {
	case typeRevisit:
		if digest := record.Field("WARC-Payload-Digest"); digest != "" {
			s.payloads[digest] = nil
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
	answer, err := readAnswer(record, maxFile)
	if errors.Is(err, warc.ErrSyntax) {
		return nil // Pages counts it
	}
	if err != nil {
		return err
	}
	s.sites.take(address, record, answer, digests.agree(record))
	return nil
}

// counter counts what is read through it.
type counter struct {
	r   io.Reader
	n   int64
	all *atomic.Int64
}

// Read reads and counts.
func (c *counter) Read(p []byte) (int, error) {
	n, err := c.r.Read(p)
	c.n += int64(n)
	c.all.Add(int64(n))
	return n, err
}
