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
)

// outputOf describes a file of JSON Lines as it is; one that is not there is
// empty.
func outputOf(root *os.Root, name string) (Output, error) {
	o := Output{Name: name, SHA256: digestOf(nil)}
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return o, nil
	}
	if err != nil {
		return o, fmt.Errorf("read %s: %w", name, err)
	}
	defer file.Close()
	sum := sha256.New()
	buffer := make([]byte, 256<<10)
	for {
		n, err := file.Read(buffer)
		sum.Write(buffer[:n])
		o.Bytes += int64(n)
		o.Rows += bytes.Count(buffer[:n], []byte("\n"))
		if errors.Is(err, io.EOF) {
			o.SHA256 = hex.EncodeToString(sum.Sum(nil))
			return o, nil
		}
		if err != nil {
			return o, fmt.Errorf("read %s: %w", name, err)
		}
	}
}
