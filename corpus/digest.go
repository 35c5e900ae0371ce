package corpus

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"os"
	"strings"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// outputOf describes a file as it is now; a missing file counts as empty. Rows
// are counted only in files of lines.
func outputOf(root *os.Root, name string) (Output, error) {
	return beginningOf(root, name, math.MaxInt64)
}

// beginningOf is like [outputOf] for at most the first bytes of a file.
func beginningOf(root *os.Root, name string, most int64) (Output, error) {
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
	sum, in := sha256.New(), io.LimitReader(file, most)
	buffer := make([]byte, 256<<10)
	for {
		n, err := in.Read(buffer)
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
