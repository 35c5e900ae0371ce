package corpus

import (
	"errors"
	"io/fs"
	"path"
	"slices"
	"strings"
	"time"

	"github.com/decorum-crawler/decorum/corpus/evidence"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// beginning compares a file that grows with the crawl with the manifest.
func (v *verifier) beginning(want Output) {
	got, err := beginningOf(v.root, want.Name, want.Bytes)
	switch {
	case err != nil:
		v.say("%v", err)
	case v.missing(want):
	case got.Bytes < want.Bytes:
		v.say("%s has %d bytes, but the manifest says %d", want.Name, got.Bytes, want.Bytes)
	case got.SHA256 != want.SHA256:
		v.say("%s: digest mismatch: the file has %s, the manifest says %s", want.Name, got.SHA256, want.SHA256)
	}
	if info, err := v.root.Stat(want.Name); err == nil && info.Size() > want.Bytes {
		v.say("%s has grown by %d bytes since the manifest was written", want.Name, info.Size()-want.Bytes)
	}
}

// missing reports, and says, that a file is not there.
func (v *verifier) missing(want Output) bool {
	_, err := v.root.Lstat(want.Name)
	if !errors.Is(err, fs.ErrNotExist) || want.Bytes == 0 { // an empty file need not exist
		return false
	}
	v.say("%s is missing", want.Name)
	return true
}

// files wants that every file is listed or belongs to the corpus in another way.
func (v *verifier) files(known func(string) bool) error {
	listed := map[string]bool{ManifestName: true, SignatureName: true, TombstonesName: true, OverridesName: true, DecisionsName: true}
	for _, output := range slices.Concat(v.manifest.Outputs, v.manifest.Journals) {
		listed[output.Name] = true
	}
	if len(v.manifest.Journals) == 0 {
		v.say("%s is of an older version and does not cover %s: it could have been changed; publish the corpus again with decorum resume or corpus decide",
			ManifestName, JournalName)
		listed[JournalName] = true
	}
	err := fs.WalkDir(v.root.FS(), ".", func(name string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() || listed[name] || known != nil && known(name) {
			return err
		}
		if !entry.Type().IsRegular() {
			v.say("%s is not a regular file", name)
			return nil
		}
		v.unlisted(name)
		return nil
	})
	if err != nil {
		return err
	}
	return v.notes()
}

// unlisted checks a file that the manifest does not name.
func (v *verifier) unlisted(name string) {
	switch folder := path.Dir(name); {
	case folder == RemovalsDir && strings.HasSuffix(name, ".jsonl"):
		for _, err := range jsonl.Rows[Removal](v.root, name) {
			if err != nil {
				v.say("%v", err)
			}
		}
	case folder == evidence.RobotsDir || folder == evidence.FilesDir:
		if err := evidence.New(v.root).Check(name); err != nil {
			v.say("%v", err)
		}
	default:
		v.say("%s is no file of this corpus: the manifest does not name it", name)
	}
}

// later reports whether a time is not before another one, to the second.
func later(at, written string) bool {
	a, err := time.Parse(time.RFC3339Nano, at)
	w, failed := time.Parse(time.RFC3339, written)
	return err == nil && failed == nil && !a.Before(w)
}

// notes compares what is noted of the files of sites with the manifest.
func (v *verifier) notes() error {
	got, err := notesOf(v.root)
	if err != nil {
		return err
	}
	for _, note := range v.manifest.Evidence {
		if i := slices.Index(got, note); i >= 0 {
			got = slices.Delete(got, i, i+1)
			continue
		}
		v.say("the note of %s as of %s is missing or was changed", note.URL, note.FetchedAt)
	}
	for _, note := range got {
		if later(note.FetchedAt, v.manifest.WrittenAt) { // by a recheck, which does not publish
			continue
		}
		v.say("the note of %s as of %s is not in the manifest", note.URL, note.FetchedAt)
	}
	return nil
}
