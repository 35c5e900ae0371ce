package corpus

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
)

// ErrRow means that a line of a file is not what stands in such files.
var ErrRow = errors.New("corpus: damaged line")

// EachRow hands over the rows of a file of JSON Lines; a file that is not
// there has none. A line that cannot be read is [ErrRow].
func EachRow[T any](root *os.Root, name string, take func(T) error) error {
	file, err := root.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	defer file.Close()
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 64<<20)
	for n := 1; lines.Scan(); n++ {
		var row T
		if err := json.Unmarshal(lines.Bytes(), &row); err != nil {
			return fmt.Errorf("read %s line %d: %w: %w", name, n, ErrRow, err)
		}
		if err := take(row); err != nil {
			return err
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("read %s: %w", name, err)
	}
	return nil
}
