package crawldir

import (
	"maps"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/crawler/record"
)

// The files of a crawl directory.
const (
	StateName    = "crawl.db"
	SettingsName = "config.yaml"
	LogName      = "crawl.log"
	PagesName    = "pages.jsonl"
	SkippedName  = "skipped.jsonl"
	SitemapsName = "sitemaps.jsonl"

	ArchiveDir   = "warc"
	CapturesName = ArchiveDir + "/captures.cdxj" // index lines in the order of the records
	IndexName    = ArchiveDir + "/index.cdxj"    // the same in the order of the URLs; made when a run ends
)

// Belongs reports whether a file of that name in a crawl directory is one of the
// crawl itself, not of an output that it was asked for. A state that was replaced by
// a repaired one is.
func Belongs(name string) bool {
	damaged := strings.HasPrefix(name, StateName+".damaged") && !strings.Contains(name, "/")
	return damaged || slices.Contains([]string{StateName, SettingsName, LogName, SitemapsName, CapturesName, IndexName}, name)
}

// The outputs of an archive.
const (
	OutputArchive  = "warc"
	OutputCaptures = "captures"
)

// storeArchive is the value of the setting store that asks for an archive.
const storeArchive = "warc"

// settingsHead begins the settings and marks a directory as ours before its
// state exists.
const settingsHead = "# The settings of this crawl. Written by decorum; read by decorum resume.\n"

// Options add to what a crawl directory holds. The zero value adds nothing.
type Options struct {
	// State is the name of the state file; empty: [StateName].
	State string
	// Outputs maps the names of additional JSON Lines outputs to their files. They
	// are truncated to the committed lengths like those of the crawl.
	Outputs map[string]string
	// Files are written into a new directory, in this order, before its state
	// exists.
	Files []File
	// Version is the version of the program, for the description in the archive.
	Version string
}

// A File is a file to write into a new crawl directory.
type File struct {
	Name string
	Data []byte
}

func (o Options) state() string {
	if o.State == "" {
		return StateName
	}
	return o.State
}

// lines maps the names of the JSON Lines outputs to their files.
func (o Options) lines() map[string]string {
	all := map[string]string{record.OutputPages: PagesName, record.OutputSkipped: SkippedName, record.OutputSitemaps: SitemapsName}
	maps.Copy(all, o.Outputs)
	return all
}
