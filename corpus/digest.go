package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"strings"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// outputOf describes a file as it is now; a missing file counts as empty. Rows
// are counted only in files of lines.
func outputOf(root *os.Root, name string) (Output, error) {
	o := Output{Name: name, SHA256: content.SHA256(nil)}
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("read %s: %w", name, err)
	}
	defer file.Close()
	ofLines := strings.HasSuffix(name, ".jsonl") || strings.HasSuffix(name, ".cdxj")
	sum := sha256.New()
	buffer := make([]byte, 256<<10)
	for {
		n, err := file.Read(buffer)
		sum.Write(buffer[:n])
		o.Bytes += int64(n)
		if ofLines {
			o.Rows += bytes.Count(buffer[:n], []byte("\n"))
		}
		if errors.Is(err, io.EOF) {
			o.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return o, nil
		}
		if err != nil {
			return o, fmt.Errorf("read %s: %w", name, err)
		}
	}
}
