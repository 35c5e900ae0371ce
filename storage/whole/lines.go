package whole

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
)

// ErrLength means that a line cannot stand in the place of another one.
var ErrLength = errors.New("whole: a line is not as long as the one that it replaces")

// Lines hands over the lines of name under root with their ends, one after the
// other, and puts what change gives in their places: a line as long, for the
// file's length is a part of a state, or nil to leave it. What stands behind the
// last line end stays as it is. The file is [Write]n anew, so all lines are
// changed or none; it must not be open for writing meanwhile.
func Lines(root *os.Root, name string, change func(line []byte) ([]byte, error)) error {
	file, err := root.Open(name)
	if err != nil {
		return fmt.Errorf("change lines of %s: %w", name, err)
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
