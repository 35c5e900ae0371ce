package warc

import (
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

var at = time.Date(2026, 2, 3, 4, 5, 6, 789, time.UTC)

func capture(url, body string, header ...string) Capture {
	return Capture{
		URL: url, At: at, IP: "192.0.2.1", Body: []byte(body), PayloadType: "text/html",
		Request:  []byte("GET / HTTP/1.1\r\nHost: a.example\r\n\r\n"),
		Head:     []byte("HTTP/1.1 200 OK\r\n" + strings.Join(append(header, "Content-Type: Text/HTML; charset=utf-8"), "\r\n") + "\r\n\r\n"),
		Metadata: []Field{{"via", "https://a.example/"}, {"fetchTimeMs", "12"}},
	}
}

// archive is a directory of files and their index lines.
type archive struct {
	t     *testing.T
	root  *os.Root
	dir   string
	lines [][]byte
}

func newArchive(t *testing.T) *archive {
	t.Helper()
	a := &archive{t: t, dir: t.TempDir()}
	root, err := os.OpenRoot(a.dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	a.root = root
	return a
}

func (a *archive) open(offset int64, options Options) *Writer {
	a.t.Helper()
	options.Index = func(line []byte) error {
		a.lines = append(a.lines, line)
		return nil
	}
	options.Info = []Field{{"software", "test"}, {"robots", ""}}
	w, err := Open(a.root, "warc", offset, options)
	if err != nil {
		a.t.Fatal(err)
	}
	a.t.Cleanup(func() { _ = w.Close() })
	return w
}

func add(t *testing.T, w *Writer, captures ...Capture) {
	t.Helper()
	var encoder Encoder
	for _, c := range captures {
		entry, err := encoder.Encode(c)
		if err != nil {
			t.Fatal(err)
		}
		if err := w.Append(entry); err != nil {
			t.Fatal(err)
		}
	}
}

func flush(t *testing.T, w *Writer) int64 {
	t.Helper()
	offset, err := w.Flush()
	if err != nil {
		t.Fatal(err)
	}
	return offset
}

// files returns the bytes of all files of the archive, by name.
func (a *archive) files() map[string]string {
	a.t.Helper()
	files := map[string]string{}
	names, err := filepath.Glob(filepath.Join(a.dir, "warc/*"))
	if err != nil {
		a.t.Fatal(err)
	}
	for _, name := range names {
		data, err := os.ReadFile(name)
		if err != nil {
			a.t.Fatal(err)
		}
		files[filepath.Base(name)] = string(data)
	}
	return files
}

// stored is a record in a form that tests compare.
type stored struct {
	Offset int64
	Fields map[string]string
	Block  string
}

func records(t *testing.T, file io.Reader) []stored {
	t.Helper()
	var all []stored
	reader := NewReader(file)
	for {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return all
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(r.Block)
		if err != nil {
			t.Fatal(err)
		}
		s := stored{Offset: r.Offset, Fields: map[string]string{}, Block: string(block)}
		for _, f := range r.Fields {
			s.Fields[f.Name] = f.Value
		}
		if got := digestOf(block); s.Fields["WARC-Block-Digest"] != got {
			t.Errorf("%s at %d: got digest %s of the block, want %s", r.Type(), r.Offset, got, s.Fields["WARC-Block-Digest"])
		}
		all = append(all, s)
	}
}

// records returns the records of the first file.
func (a *archive) records() []stored {
	a.t.Helper()
	return records(a.t, strings.NewReader(a.files()[FileName(0)]))
}
