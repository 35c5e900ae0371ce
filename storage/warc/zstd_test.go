package warc

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/iotest"

	"github.com/google/go-cmp/cmp"
	"github.com/klauspost/compress/zstd"
)

// framed compresses each part to a frame.
func framed(tb testing.TB, dictionary []byte, parts ...string) string {
	tb.Helper()
	var options []zstd.EOption
	if dictionary != nil {
		options = append(options, zstd.WithEncoderDict(dictionary))
	}
	encoder, err := zstd.NewWriter(nil, options...)
	if err != nil {
		tb.Fatal(err)
	}
	var out []byte
	for _, part := range parts {
		out = encoder.EncodeAll([]byte(part), out)
	}
	return string(out)
}

// skippable returns a skippable frame of that magic number.
func skippable(magic, content string) string {
	return magic + string(binary.LittleEndian.AppendUint32(nil, uint32(len(content)))) + content
}

// samples are records that resemble each other.
func samples(n int) []string {
	var all []string
	for i := range n {
		all = append(all, record(fmt.Sprintf("WARC-Type: response\r\nWARC-Target-URI: http://farm.example/page/%d\r\n", i),
			fmt.Sprintf("HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n\r\n<title>Page %d</title><p>Some text of the page with the number %d%s", i, i, strings.Repeat(".", i%7))))
	}
	return all
}

// readOffsets returns the offsets of the records of a file, which are samples.
func readOffsets(t *testing.T, file string) []int64 {
	t.Helper()
	var offsets []int64
	for reader := NewReader(strings.NewReader(file)); ; {
		r, err := reader.Next()
		if errors.Is(err, io.EOF) {
			return offsets
		}
		if err != nil {
			t.Fatal(err)
		}
		checkSample(t, r, len(offsets))
		offsets = append(offsets, r.Offset)
	}
}

func checkSample(t *testing.T, r *Record, i int) {
	t.Helper()
	want := samples(i + 1)[i]
	block, err := io.ReadAll(r.Block)
	if err != nil || !strings.Contains(want, r.URL()+"\r\n") || !strings.HasSuffix(want, "\r\n\r\n"+string(block)+"\r\n\r\n") {
		t.Errorf("got %s, %q, %v, want %q", r.URL(), block, err, want)
	}
}

func TestReaderReadsFrames(t *testing.T) {
	all := samples(3)
	var contents [][]byte
	for _, one := range samples(200) {
		contents = append(contents, []byte(one))
	}
	dictionary, err := zstd.BuildDict(zstd.BuildDictOptions{ID: 7, Contents: contents, History: contents[0], Offsets: [3]int{1, 4, 8}})
	if err != nil {
		t.Fatal(err)
	}
	lengths := func(before string, dictionary []byte) []int64 {
		first, second := framed(t, dictionary, all[0]), framed(t, dictionary, all[1])
		at := int64(len(before))
		return []int64{at, at + int64(len(first)), at + int64(len(first)+len(second))}
	}
	plain := skippable(string(dictionaryMagic), string(dictionary))
	packed := skippable(string(dictionaryMagic), framed(t, nil, string(dictionary)))
	note := skippable("\x50\x2a\x4d\x18", "anything")
	for name, test := range map[string]struct {
		file string
		want []int64
	}{
		"a frame a record":       {framed(t, nil, all...), lengths("", nil)},
		"one frame":              {framed(t, nil, strings.Join(all, "")), []int64{0, 0, 0}},
		"with a dictionary":      {plain + framed(t, dictionary, all...), lengths(plain, dictionary)},
		"with one compressed":    {packed + framed(t, dictionary, all...), lengths(packed, dictionary)},
		"after frames of others": {note + note + framed(t, nil, all...) + note, lengths(note+note, nil)},
	} {
		t.Run(name, func(t *testing.T) {
			got := readOffsets(t, test.file)
			if !cmp.Equal(got, test.want) {
				t.Fatalf("got offsets %v, want %v", got, test.want)
			}
			reader := NewReader(strings.NewReader(test.file))
			for i, offset := range slices.Backward(got) {
				if i > 0 && offset == got[0] {
					continue // not at the start of the frame
				}
				if err := reader.SeekTo(offset); err != nil {
					t.Fatal(err)
				}
				r, err := reader.Next()
				if err != nil || r.Offset != offset {
					t.Fatalf("got %v, %v at %d", r, err, offset)
				}
				checkSample(t, r, i)
			}
		})
	}
}

func TestSeekTo(t *testing.T) {
	all := samples(3)
	for name, file := range map[string]string{"plain": strings.Join(all, ""), "gzip": gzipped(all...), "frames": framed(t, nil, all...)} {
		offsets := readOffsets(t, file)
		reader := NewReader(strings.NewReader(file))
		for _, i := range []int{1, 0, 0, 2} {
			if err := errors.Join(reader.SeekTo(3), reader.SeekTo(offsets[i])); err != nil { // the last one counts
				t.Fatal(err)
			}
			r, err := reader.Next()
			if err != nil || r.Offset != offsets[i] {
				t.Fatalf("%s: got %v, %v at %d", name, r, err, offsets[i])
			}
			checkSample(t, r, i)
		}
		if _, err := reader.Next(); !errors.Is(err, io.EOF) {
			t.Errorf("%s: got %v, want the end", name, err)
		}
	}
	for _, file := range []io.Reader{strings.NewReader(""), io.MultiReader(strings.NewReader("WARC/1.1"))} {
		if err := NewReader(file).SeekTo(1); err == nil {
			t.Error("got no error, want one of an empty file and of a stream")
		}
	}
}

// TestReaderReportsReadErrors has a sound file on a disk that fails.
func TestReaderReportsReadErrors(t *testing.T) {
	errDisk := errors.New("disk")
	for name, file := range map[string]string{"gzip": gzipped(samples(1)...), "frames": framed(t, nil, samples(1)...)} {
		reader := NewReader(io.MultiReader(strings.NewReader(file[:len(file)/2]), iotest.ErrReader(errDisk)))
		_, err := reader.Next()
		if err == nil {
			_, err = reader.Next()
		}
		if !errors.Is(err, errDisk) || errors.Is(err, ErrSyntax) {
			t.Errorf("%s: got %v, want %v", name, err, errDisk)
		}
	}
}

func TestReaderReportsDamagedFrames(t *testing.T) {
	good := framed(t, nil, samples(1)...)
	broken := []byte(good)
	broken[len(broken)-1] ^= 1 // of the sum
	huge := skippable(string(dictionaryMagic), "")
	huge = huge[:4] + "\xff\xff\xff\x7f"
	for name, file := range map[string]string{
		"cut":                  good[:len(good)-9],
		"cut head":             good[:3],
		"cut descriptor":       good[:4],
		"wrong sum":            string(broken),
		"junk after it":        good + "junk",
		"huge dictionary":      huge,
		"invalid dictionary":   skippable(string(dictionaryMagic), "none") + good,
		"cut dictionary":       skippable(string(dictionaryMagic), "none")[:9],
		"cut frame of others":  good + skippable("\x50\x2a\x4d\x18", "anything")[:10],
		"window of a terabyte": "\x28\xb5\x2f\xfd\x00\xff" + good[6:],
	} {
		reader := NewReader(strings.NewReader(file))
		var err error
		for err == nil {
			_, err = reader.Next()
		}
		if !errors.Is(err, ErrSyntax) {
			t.Errorf("%s: got %v, want %v", name, err, ErrSyntax)
		}
	}
}

// TestReaderReadsWhatZstdWrote has the reference implementation train a
// dictionary and compress records with it.
func TestReaderReadsWhatZstdWrote(t *testing.T) {
	tool, err := exec.LookPath("zstd")
	if err != nil {
		if os.Getenv("DECORUM_CI") != "" {
			t.Fatal("needs zstd, which .ci/run installs")
		}
		t.Skip("needs zstd")
	}
	dir := t.TempDir()
	run := func(stdin string, args ...string) string {
		t.Helper()
		command := exec.CommandContext(t.Context(), tool, args...)
		command.Dir, command.Stdin = dir, strings.NewReader(stdin)
		var errs bytes.Buffer
		command.Stderr = &errs
		out, err := command.Output()
		if err != nil {
			t.Fatalf("zstd %v: %v: %s", args, err, &errs)
		}
		return string(out)
	}
	train := []string{"--train", "-q", "--maxdict=4096", "-o", "dictionary"}
	all := samples(400)
	for i, one := range all {
		name := fmt.Sprintf("%d.txt", i)
		if err := os.WriteFile(filepath.Join(dir, name), []byte(one), 0o600); err != nil {
			t.Fatal(err)
		}
		train = append(train, name)
	}
	run("", train...)
	dictionary, err := os.ReadFile(filepath.Join(dir, "dictionary"))
	if err != nil {
		t.Fatal(err)
	}
	for name, file := range map[string]string{
		"plain":      skippable(string(dictionaryMagic), string(dictionary)),
		"compressed": skippable(string(dictionaryMagic), run(string(dictionary), "-q", "-c")),
	} {
		want := []int64{}
		for i, one := range all[:9] {
			want = append(want, int64(len(file)))
			level := []string{"-1", "-19", "--no-check", "--ultra", "--long=27"}[i%5]
			file += run(one, "-q", "-c", level, "-D", "dictionary")
		}
		if got := readOffsets(t, file); !cmp.Equal(got, want) {
			t.Errorf("%s: got %v, want %v", name, got, want)
		}
	}
}
