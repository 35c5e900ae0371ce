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

	"github.com/decorum-crawler/decorum/corpus"
	"github.com/decorum-crawler/decorum/storage/warc"
)

// A Source reads archives. It is not safe for concurrent use.
type Source struct {
	inputs   []corpus.Input
	maxBytes int64
	sites    *sites
	payloads map[string]*place // by the digests that revisits have; nil until their record was met
	hops     map[string]string // redirects by their targets
	others   map[string]int64  // records that hold no page, by what they are
}

// place is where a payload stands.
type place struct {
	input  string
	offset int64
}

// Open reads archives for what sites state. Bodies of pages are cut at
// maxBytes, decoded. An error names the file that cannot be read, and where.
func Open(ctx context.Context, names []string, maxBytes int64) (*Source, error) {
	s := &Source{
		maxBytes: maxBytes, sites: newSites(), payloads: map[string]*place{}, hops: map[string]string{}, others: map[string]int64{},
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
	sum, size := sha256.New(), &count{}
	reader := warc.NewReader(io.TeeReader(file, io.MultiWriter(sum, size)))
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
	return corpus.Input{Name: filepath.ToSlash(name), Bytes: size.n, SHA256: hex.EncodeToString(sum.Sum(nil))}, nil
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
	answer, err := readAnswer(record, maxFile)
	if errors.Is(err, warc.ErrSyntax) {
		return nil // Pages counts it
	}
	if err != nil {
		return err
	}
	s.sites.take(address, record, answer)
	return nil
}

// count counts what is written to it.
type count struct{ n int64 }

// Write counts.
func (c *count) Write(p []byte) (int, error) {
	c.n += int64(len(p))
	return len(p), nil
}
