package warc

import (
	"bufio"
	"bytes"
	"cmp"
	"container/heap"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
)

// sortBytes is how much of an index is sorted in memory at once. An index of
// 16 GiB, for some 50 million captures, takes 256 runs.
const sortBytes = 64 << 20

// maxLine bounds a line of an index. URLs are far shorter.
const maxLine = 1 << 20

// SortIndex reads index lines and writes them sorted by their bytes, without those
// of withdrawn captures. It uses about 100 MB of memory, and temporary files in
// folder for the rest. An empty folder means that of the system.
func SortIndex(out io.Writer, in io.Reader, folder string) error {
	if err := sortLines(out, in, folder, sortBytes); err != nil {
		return fmt.Errorf("sort index: %w", err)
	}
	return nil
}

func sortLines(out io.Writer, in io.Reader, folder string, memory int) (err error) {
	lines := newLines(in)
	var runs []*os.File
	defer func() {
		for _, run := range runs {
			err = errors.Join(err, run.Close())
		}
	}()
	for {
		chunk, more, err := readChunk(lines, memory)
		if err != nil {
			return err
		}
		if !more && len(runs) == 0 {
			return writeLines(out, chunk)
		}
		run, err := writeRun(folder, chunk)
		if err != nil {
			return err
		}
		if runs = append(runs, run); !more {
			return merge(out, runs)
		}
	}
}

func newLines(in io.Reader) *bufio.Scanner {
	scanner := bufio.NewScanner(in)
	scanner.Buffer(make([]byte, 0, 64<<10), maxLine)
	return scanner
}

// readChunk returns the next lines, sorted; more reports whether there may be more.
func readChunk(lines *bufio.Scanner, memory int) (chunk [][]byte, more bool, err error) {
	for size := 0; size < memory; {
		if !lines.Scan() {
			slices.SortFunc(chunk, bytes.Compare)
			return chunk, false, lines.Err()
		}
		if isTombstone(lines.Bytes()) {
			continue
		}
		chunk = append(chunk, bytes.Clone(lines.Bytes()))
		size += len(lines.Bytes()) + 24 // of the slice header
	}
	slices.SortFunc(chunk, bytes.Compare)
	return chunk, true, nil
}

func writeLines(out io.Writer, chunk [][]byte) error {
	w := bufio.NewWriter(out)
	for _, line := range chunk {
		if err := writeLine(w, line); err != nil {
			return err
		}
	}
	return w.Flush()
}

// writeRun writes sorted lines to a file without a name.
func writeRun(folder string, chunk [][]byte) (*os.File, error) {
	run, err := tempFile(folder)
	if err != nil {
		return nil, err
	}
	err = writeLines(run, chunk)
	if err == nil {
		_, err = run.Seek(0, io.SeekStart)
	}
	if err != nil {
		return nil, errors.Join(err, run.Close())
	}
	return run, nil
}

// tempFile creates a file without a name, which is removed with the process.
func tempFile(folder string) (*os.File, error) {
	file, err := os.CreateTemp(folder, "index-")
	if err != nil {
		return nil, err
	}
	if err := os.Remove(file.Name()); err != nil {
		return nil, errors.Join(err, file.Close())
	}
	return file, nil
}

// merge writes the lines of sorted runs in order.
func merge(out io.Writer, runs []*os.File) error {
	var fronts frontLines
	for i, run := range runs {
		f := &frontLine{lines: newLines(run), run: i}
		if f.lines.Scan() {
			fronts = append(fronts, f)
		} else if err := f.lines.Err(); err != nil {
			return err
		}
	}
	heap.Init(&fronts)
	w := bufio.NewWriter(out)
	for len(fronts) > 0 {
		first := fronts[0]
		if err := writeLine(w, first.lines.Bytes()); err != nil {
			return err
		}
		if first.lines.Scan() {
			heap.Fix(&fronts, 0)
			continue
		}
		if err := first.lines.Err(); err != nil {
			return err
		}
		heap.Pop(&fronts)
	}
	return w.Flush()
}

func writeLine(w *bufio.Writer, line []byte) error {
	if _, err := w.Write(line); err != nil {
		return err
	}
	return w.WriteByte('\n')
}

// frontLine is the first line of a run that is not yet written.
type frontLine struct {
	lines *bufio.Scanner
	run   int
}

// frontLines is a heap, the least line on top.
type frontLines []*frontLine

func (f frontLines) Len() int      { return len(f) }
func (f frontLines) Swap(i, j int) { f[i], f[j] = f[j], f[i] }
func (f frontLines) Less(i, j int) bool {
	order := bytes.Compare(f[i].lines.Bytes(), f[j].lines.Bytes())
	return cmp.Or(order, f[i].run-f[j].run) < 0
}

// Push is part of heap.Interface; the heap only shrinks.
func (f *frontLines) Push(x any) { *f = append(*f, x.(*frontLine)) }

// Pop is part of heap.Interface.
func (f *frontLines) Pop() any {
	last := (*f)[len(*f)-1]
	*f = (*f)[:len(*f)-1]
	return last
}
