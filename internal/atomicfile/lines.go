package atomicfile

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrLength means that a line differs in length from the one it would replace.
var ErrLength = errors.New("atomicfile: a line differs in length from the one it replaces")

// ReplaceLines calls change with each line of name under root, including the line
// end, and replaces the line with the result. The result must be as long as the
// line, because states record the lengths of files; nil keeps the line. Bytes after
// the last line end stay unchanged. The file is replaced as by [Write], so either
// all lines change or none; it must not be open for writing at the same time. The
// error is an [ErrLength], one of change, or one of the file.
func ReplaceLines(root *os.Root, name string, change func(line []byte) ([]byte, error)) error {
	file, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("replace lines of %s: %w", name, err)
	}
	defer file.Close()
	return Write(root, name, func(w io.Writer) error {
		out := bufio.NewWriterSize(w, 256<<10)
		if err := copyLines(out, file, change); err != nil {
			return err
		}
		return out.Flush()
	})
}

func copyLines(out io.Writer, file io.Reader, change func(line []byte) ([]byte, error)) error {
	in := bufio.NewReaderSize(file, 256<<10)
	for offset := int64(0); ; {
		line, err := in.ReadBytes('\n')
		if errors.Is(err, io.EOF) {
			_, err := out.Write(line)
			return err
		}
		if err != nil {
			return err
		}
		changed, err := change(line)
		switch {
		case err != nil:
			return fmt.Errorf("line at %d: %w", offset, err)
		case changed == nil:
			changed = line
		case len(changed) != len(line):
			return fmt.Errorf("line at %d: %w", offset, ErrLength)
		}
		if _, err := out.Write(changed); err != nil {
			return err
		}
		offset += int64(len(line))
	}
}
