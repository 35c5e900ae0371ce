package corpus

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"time"

	"github.com/decorum-crawler/decorum/internal/atomicfile"
	"github.com/decorum-crawler/decorum/internal/escape"
)

// ManifestName is the file that describes a corpus.
const ManifestName = "manifest.json"

// Manifest is a decorum.manifest/1 object.
type Manifest struct {
	Schema       string         `json:"schema"`
	Tool         string         `json:"tool"` // "decorum" and its version
	Operator     Operator       `json:"operator"`
	CrawlID      string         `json:"crawl_id"`
	WrittenAt    string         `json:"written_at"` // RFC 3339
	ConfigSHA256 string         `json:"config_sha256"`
	Policy       string         `json:"policy"`
	Unknown      Unknown        `json:"unknown"`
	TextFormat   string         `json:"text_format"` // of documents; those that were files of text have their own
	Near         string         `json:"near"`        // how near duplicates were looked for, such as "minhash/1"; "": they were not
	Scope        []string       `json:"scope"`       // the seeds
	Finished     bool           `json:"finished"`
	Counts       Counts         `json:"counts"`
	Hosts        []HostSignals  `json:"hosts"`    // what was stated, by host
	Evidence     []FileEvidence `json:"evidence"` // files of sites
	Outputs      []Output       `json:"outputs"`
	Journals     []Output       `json:"journals"`   // what grows while a crawl goes on, as long as it was
	RecheckOf    string         `json:"recheck_of"` // lineage: an earlier manifest's digest
	Removals     []string       `json:"removals"`
	Inputs       []Input        `json:"inputs"`     // archives that it was made from; none for a crawl
	Unjudged     []string       `json:"not_judged"` // what the inputs lacked, in plain words
	Gaps         []string       `json:"gaps"`       // in plain words
	Exported     *Exported      `json:"exported,omitempty"`
	Merged       []string       `json:"merged,omitempty"` // SHA-256 of the manifests of the corpora that it was made of
}

// Input is an archive that a corpus was made from.
type Input struct {
	Name   string `json:"name"` // as given on the command line
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
	// Cut tells within which record the archive ends; the record was not read.
	// It is empty for an archive that is whole.
	Cut string `json:"cut,omitempty"`
}

// Operator identifies who crawled.
type Operator struct {
	UserAgent string `json:"user_agent"`
	Token     string `json:"token"`
	Contact   string `json:"contact"`
}

// Counts are of URLs. Discovered is Requested + Skipped + Pending; Requested is
// OK + Redirects + Other; OK is Documents + Excluded + Hold + Failed + Purged + LeftOut;
// Documents is InFavor + None; Refused is a part of Skipped.
type Counts struct {
	Discovered int64            `json:"discovered"`
	Pending    int64            `json:"pending"`
	Skipped    int64            `json:"skipped"`
	NotCrawled map[string]int64 `json:"not_crawled"` // skipped by reason
	Requested  int64            `json:"requested"`
	OK         int64            `json:"ok"` // responses with status 2xx
	Redirects  int64            `json:"redirects"`
	Other      int64            `json:"other"` // another status, or no response

	Documents  int64 `json:"documents"`
	InFavor    int64 `json:"in_favor"`
	None       int64 `json:"none"`
	Duplicates int64 `json:"duplicates"` // documents whose text is that of an earlier one
	// NearDuplicates are documents whose text is nearly that of an earlier one, or the
	// same; they are in NearClusters with those.
	NearDuplicates int64 `json:"near_duplicates"`
	NearClusters   int64 `json:"near_clusters"`

	Refused    int64            `json:"refused"`  // excluded without a request
	Excluded   int64            `json:"excluded"` // excluded by the response
	Hold       int64            `json:"hold"`
	Failed     int64            `json:"failed"`
	ExcludedBy map[string]int64 `json:"excluded_by"` // Refused and Excluded by signal
	FailedBy   map[string]int64 `json:"failed_by"`
	BytesSaved int64            `json:"bytes_saved"`
	Purged     int64            `json:"purged"`
	LeftOut    int64            `json:"left_out"` // documents of the corpora that this one was made of
}

// check returns a sentence for each count that is not the sum of its parts.
func (c Counts) check() []string {
	var wrong []string
	sum := func(name string, total int64, parts ...int64) {
		all := int64(0)
		for _, part := range parts {
			all += part
		}
		if total != all {
			wrong = append(wrong, fmt.Sprintf("%s is %d, but its parts add up to %d", name, total, all))
		}
	}
	values := func(m map[string]int64) (all int64) {
		for _, n := range m {
			all += n
		}
		return all
	}
	sum("discovered", c.Discovered, c.Requested, c.Skipped, c.Pending)
	sum("skipped", c.Skipped, values(c.NotCrawled))
	sum("requested", c.Requested, c.OK, c.Redirects, c.Other)
	sum("ok", c.OK, c.Documents, c.Excluded, c.Hold, c.Failed, c.Purged, c.LeftOut)
	sum("documents", c.Documents, c.InFavor, c.None)
	sum("excluded", c.Excluded+c.Refused, values(c.ExcludedBy))
	sum("failed", c.Failed, values(c.FailedBy))
	sum("refused", c.Refused, c.NotCrawled["no-consent"])
	return wrong
}

// HostSignals counts what pages of a host stated, by signal and value.
type HostSignals struct {
	Host    string                      `json:"host"`
	Signals map[string]map[string]int64 `json:"signals"` // without signals whose value is none
}

// Output is a file of the corpus.
type Output struct {
	Name   string `json:"name"`
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Unknown tells how to treat pages about which nothing is stated.
type Unknown string

// The values.
const (
	UnknownSeparate Unknown = "separate" // shards of their own
	UnknownInclude  Unknown = "include"  // in the shards of pages in favor
	UnknownExclude  Unknown = "exclude"
)

// ReadManifest reads the manifest of a corpus; it returns nil and no error when
// there is none.
func ReadManifest(root *os.Root) (*Manifest, error) {
	data, err := root.ReadFile(ManifestName)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil //nolint:nilnil // there may be none yet
	}
	if err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	var m Manifest
	if err := json.Unmarshal(data, &m); err != nil {
		return nil, fmt.Errorf("read manifest: %w", err)
	}
	return &m, nil
}

// write replaces the manifest. A signature of the old one is removed before.
func (m *Manifest) write(root *os.Root) error {
	if err := unsign(root); err != nil {
		return err
	}
	m.WrittenAt = time.Now().UTC().Format(time.RFC3339)
	data, err := json.MarshalIndent(m, "", "  ")
	if err != nil {
		return fmt.Errorf("write manifest: %w", err)
	}
	return atomicfile.WriteData(root, ManifestName, append(escape.JSON(data), '\n'))
}
