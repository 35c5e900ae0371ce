package warc

import (
	"archive/zip"
	"bufio"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"iter"
	"os"
	"path"
	"time"

	"github.com/klauspost/compress/gzip"

	"github.com/decorum-crawler/decorum/internal/escape"
)

// A Package describes the archive in a WACZ file.
type Package struct {
	Title    string
	Software string // name and version
	Created  time.Time
	MainURL  string    // where a viewer starts; empty means at the list of pages
	MainAt   time.Time // when MainURL was captured
}

// A PackagePage is an entry in the list of pages that a viewer shows.
type PackagePage struct {
	URL   string
	At    time.Time
	Title string
}

// Pack writes the files of dir under root and their sorted index as one WACZ
// file (Web Archive Collection Zipped 1.1.1). Viewers load it in parts, so
// archives and index are stored without further compression. index is the name of
// the sorted index under root.
//
// The files are read twice, since a ZIP entry begins with its checksum. They must
// not change in the meantime.
func Pack(out io.Writer, root *os.Root, dir, index string, p Package, pages iter.Seq2[PackagePage, error]) error {
	w := &packer{zip: zip.NewWriter(out), root: root, created: p.Created}
	steps := []func() error{
		func() error { return w.archives(dir) },
		func() error { return w.index(index) },
		func() error { return w.pages(pages) },
		func() error { return w.describe(p) },
		w.zip.Close,
	}
	for _, step := range steps {
		if err := step(); err != nil {
			return fmt.Errorf("pack archive %s: %w", dir, err)
		}
	}
	return nil
}

// packer writes the parts of a package and lists them.
type packer struct {
	zip       *zip.Writer
	root      *os.Root
	created   time.Time
	resources []resource
}

// resource is a part in datapackage.json.
type resource struct {
	Name  string `json:"name"`
	Path  string `json:"path"`
	Hash  string `json:"hash"` // "sha256:" and hex digits
	Bytes int64  `json:"bytes"`
}

func (w *packer) archives(dir string) error {
	for serial := 0; ; serial++ {
		name := FileName(serial)
		file, err := w.root.Open(path.Join(dir, name))
		if errors.Is(err, fs.ErrNotExist) && serial > 0 {
			return nil
		}
		if err != nil {
			return err
		}
		err = w.copy("archive/"+name, file)
		if err := errors.Join(err, file.Close()); err != nil {
			return err
		}
	}
}

// copy adds a file to the package without compression.
func (w *packer) copy(name string, file io.ReadSeeker) error {
	sum, check := sha256.New(), crc32.NewIEEE()
	n, err := io.Copy(io.MultiWriter(sum, check), file)
	if err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if _, err := file.Seek(0, io.SeekStart); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	header := &zip.FileHeader{
		Name: name, Method: zip.Store, CRC32: check.Sum32(),
		CompressedSize64: uint64(n), UncompressedSize64: uint64(n),
	}
	header.SetModTime(w.created) //nolint:staticcheck // CreateRaw ignores Modified
	part, err := w.zip.CreateRaw(header)
	if err != nil {
		return err
	}
	if copied, err := io.Copy(part, io.LimitReader(file, n)); err != nil || copied != n {
		return errors.Join(err, fmt.Errorf("copy %s: %d bytes of %d", name, copied, n))
	}
	w.resources = append(w.resources, resource{path.Base(name), name, "sha256:" + hex.EncodeToString(sum.Sum(nil)), n})
	return nil
}

// blockLines is how many lines of an index are compressed together. A viewer reads
// one block to look up a URL.
const blockLines = 1024

// index writes the lines of a sorted index in compressed blocks, and a second
// index of the blocks.
func (w *packer) index(name string) (err error) {
	file, err := w.root.Open(name)
	if err != nil {
		return err
	}
	defer file.Close()
	blocks, err := tempFile("")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, blocks.Close()) }()
	var starts bytes.Buffer
	starts.WriteString(`!meta 0 {"format": "cdxj-gzip-1.0", "filename": "index.cdx.gz"}` + "\n")
	offset, lines := 0, newLines(file)
	for more := lines.Scan(); more; {
		var block bytes.Buffer
		first := bytes.Clone(lines.Bytes())
		for n := 0; n < blockLines && more; n++ {
			block.Write(lines.Bytes())
			block.WriteByte('\n')
			more = lines.Scan()
		}
		member, err := compressed(block.Bytes())
		if err != nil {
			return err
		}
		if _, err := blocks.Write(member); err != nil {
			return err
		}
		head, _, _ := bytes.Cut(first, []byte(" {"))
		fmt.Fprintf(&starts, "%s {\"offset\": %d, \"length\": %d, \"digest\": %q, \"filename\": \"index.cdx.gz\"}\n",
			head, offset, len(member), digestOf(member))
		offset += len(member)
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	if _, err := blocks.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := w.copy("indexes/index.cdx.gz", blocks); err != nil {
		return err
	}
	return w.put("indexes/index.idx", starts.Bytes())
}

// compressed returns data as one gzip member.
func compressed(data []byte) ([]byte, error) {
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, compression)
	if err != nil {
		return nil, err
	}
	if _, err := w.Write(data); err != nil {
		return nil, err
	}
	err = w.Close()
	return out.Bytes(), err
}

// create starts a compressed part. done ends it and adds it to the list.
func (w *packer) create(name string) (part *bufio.Writer, done func() error, err error) {
	entry, err := w.zip.CreateHeader(&zip.FileHeader{Name: name, Method: zip.Deflate, Modified: w.created})
	if err != nil {
		return nil, nil, err
	}
	sum, count := sha256.New(), &byteCounter{}
	part = bufio.NewWriter(io.MultiWriter(entry, sum, count))
	return part, func() error {
		err := part.Flush()
		w.resources = append(w.resources, resource{path.Base(name), name, "sha256:" + hex.EncodeToString(sum.Sum(nil)), count.n})
		return err
	}, nil
}

// byteCounter counts the bytes written to it.
type byteCounter struct{ n int64 }

// Write implements io.Writer.
func (w *byteCounter) Write(p []byte) (int, error) {
	w.n += int64(len(p))
	return len(p), nil
}

// pages writes the list of pages that a viewer shows.
func (w *packer) pages(pages iter.Seq2[PackagePage, error]) error {
	part, done, err := w.create("pages/pages.jsonl")
	if err != nil {
		return err
	}
	lines := escape.Encoder(part)
	err = lines.Encode(map[string]string{"format": "json-pages-1.0", "id": "pages", "title": "All Pages"})
	if err != nil {
		return err
	}
	for page, err := range pages {
		if err != nil {
			return err
		}
		sum := sha256.Sum256([]byte(page.URL + " " + page.At.UTC().Format(time.RFC3339)))
		err = lines.Encode(struct {
			ID    string `json:"id"`
			URL   string `json:"url"`
			At    string `json:"ts"`
			Title string `json:"title"`
		}{hex.EncodeToString(sum[:8]), page.URL, page.At.UTC().Format(time.RFC3339), page.Title})
		if err != nil {
			return err
		}
	}
	return done()
}

// describe writes datapackage.json and its digest.
func (w *packer) describe(p Package) error {
	type description struct {
		Profile      string     `json:"profile"`
		Title        string     `json:"title"`
		Created      string     `json:"created"`
		Software     string     `json:"software"`
		WACZVersion  string     `json:"wacz_version"`
		MainPageURL  string     `json:"mainPageUrl,omitempty"`
		MainPageDate string     `json:"mainPageDate,omitempty"`
		Resources    []resource `json:"resources"`
	}
	d := description{
		Profile: "data-package", Title: p.Title, Created: p.Created.UTC().Format(time.RFC3339),
		Software: p.Software, WACZVersion: "1.1.1", MainPageURL: p.MainURL, Resources: w.resources,
	}
	if p.MainURL != "" {
		d.MainPageDate = p.MainAt.UTC().Format(time.RFC3339)
	}
	described, err := json.MarshalIndent(d, "", "  ")
	if err != nil {
		return err
	}
	described = escape.JSON(described)
	digest, err := json.MarshalIndent(map[string]string{"path": "datapackage.json", "hash": digestOf(described)}, "", "  ")
	if err != nil {
		return err
	}
	return errors.Join(w.put("datapackage.json", described), w.put("datapackage-digest.json", digest))
}

// put writes a small part.
func (w *packer) put(name string, data []byte) error {
	part, done, err := w.create(name)
	if err != nil {
		return err
	}
	if _, err := part.Write(data); err != nil {
		return err
	}
	return done()
}
