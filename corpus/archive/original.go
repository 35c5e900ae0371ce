package archive

import (
	"os"
	"path/filepath"

	"github.com/decorum-crawler/decorum/storage/warc"
)

// originals reads the records that revisits refer to. It keeps the last file open,
// because most are in the same file.
type originals struct {
	input  string
	file   *os.File
	reader *warc.Reader
}

// record returns the record at a place. It is valid until the next call.
func (o *originals) record(at *place) (*warc.Record, error) {
	if o.file == nil || o.input != at.input {
		if err := o.open(at.input); err != nil {
			return nil, err
		}
	}
	if err := o.reader.SeekTo(at.offset); err != nil {
		return nil, err
	}
	return o.reader.Next()
}

func (o *originals) open(input string) error {
	if err := o.close(); err != nil {
		return err
	}
	file, err := os.Open(filepath.FromSlash(input))
	if err == nil {
		o.input, o.file, o.reader = input, file, warc.NewReader(file)
	}
	return err
}

func (o *originals) close() error {
	if o.file == nil {
		return nil
	}
	file := o.file
	o.file = nil
	return file.Close()
}
