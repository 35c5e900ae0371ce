package warc

import (
	"bytes"
	stdgzip "compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"
)

// withdrawable writes pages of many lengths and gives their index lines.
func withdrawable(t *testing.T) (root *os.Root, name string, lines [][]byte) {
	t.Helper()
	dir := t.TempDir()
	root, err := os.OpenRoot(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = root.Close() })
	w, err := Open(root, "warc", 0, Options{Index: func(line []byte) error {
		lines = append(lines, bytes.Clone(line))
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	noise := rand.New(rand.NewPCG(1, 2))
	var encoder Encoder
	for i, size := range []int{0, 1, 40, 41, 42, 43, 44, 5000, 2 << 20, 3} {
		body := make([]byte, size)
		for j := range body {
			body[j] = byte('a' + noise.IntN(26))
		}
		entry, err := encoder.Encode(Capture{
			URL: fmt.Sprintf("https://farm.example/%d?a=1&b=<2>", i), At: time.Unix(1_770_000_000, 0), Request: []byte("GET / HTTP/1.1\r\n\r\n"),
			Head: fmt.Appendf(nil, "HTTP/1.1 200 OK\r\nX-Secret: no-%d\r\n\r\n", i), Body: append([]byte("secret "), body...),
		})
		if err == nil {
			err = w.Append(entry)
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	if _, err := w.Flush(); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return root, filepath.Join(dir, "warc", FileName(0)), lines
}

// unzipped reads a file by the standard library, all members as one.
func unzipped(t *testing.T, data []byte) []byte {
	t.Helper()
	r, err := stdgzip.NewReader(bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	text, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return text
}

func TestWithdraw(t *testing.T) {
	root, name, lines := withdrawable(t)
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	for i, line := range lines {
		l, err := ParseIndexLine(line)
		if err != nil || l.Withdrawn {
			t.Fatalf("got %v, %v", l, err)
		}
		tombstone, err := Withdraw(root, "warc", line)
		if err != nil {
			t.Fatal(err)
		}
		now, err := ParseIndexLine(tombstone)
		if err != nil || len(tombstone) != len(line) || !now.Withdrawn || now.URL != l.URL || now.Offset != l.Offset || now.ID != l.ID || now.Digest != "" {
			t.Errorf("got line %q, %v, want the tombstone of %q", tombstone, err, line)
		}
		data, err := os.ReadFile(name)
		if err != nil || len(data) != len(before) {
			t.Fatalf("got %d bytes, %v, want %d", len(data), err, len(before))
		}
		text := unzipped(t, data)
		if bytes.Contains(text, fmt.Appendf(nil, "X-Secret: no-%d\r", i)) || bytes.Count(text, []byte("secret ")) != len(lines)-i-1 {
			t.Errorf("%s: its answer is still there", l.URL)
		}
		if again, err := Withdraw(root, "warc", line); err != nil || !bytes.Equal(again, tombstone) {
			t.Errorf("again: got %q, %v", again, err)
		}
		if twice, err := os.ReadFile(name); err != nil || !bytes.Equal(twice, data) {
			t.Errorf("again: the file is another, %v", err)
		}
	}
	checkRecords(t, name, len(lines))
}

// checkRecords reads all records and their digests.
func checkRecords(t *testing.T, name string, withdrawn int) {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	reader, kinds := NewReader(file), map[string]int{}
	for {
		record, err := reader.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		block, err := io.ReadAll(record.Block)
		if err != nil {
			t.Fatal(err)
		}
		sum := sha256.Sum256(block)
		if want := record.Field("WARC-Block-Digest"); want != "" && want != "sha256:"+hex.EncodeToString(sum[:]) {
			t.Errorf("%s: its digest is another", record.URL())
		}
		kinds[record.Type()]++
		if record.Type() == typeResponse && record.Field("WARC-Truncated") == TruncatedUnspecified && string(block) == "HTTP/1.1 200\r\n\r\n" {
			withdrawn--
		}
	}
	if withdrawn != 0 || kinds[typeRequest] != 10 || kinds[typeInfo] != 1 {
		t.Errorf("got %v, %d withdrawn records too few", kinds, withdrawn)
	}
}

// TestWithdrawAfterACrash does the work again when only a half of it was
// written.
func TestWithdrawAfterACrash(t *testing.T) {
	root, name, lines := withdrawable(t)
	line := lines[7]
	l, err := ParseIndexLine(line)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Withdraw(root, "warc", line); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	half := l.Offset + l.Length/2
	if err := os.WriteFile(name, slices.Concat(whole[:half], before[half:]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Withdraw(root, "warc", line); err != nil {
		t.Fatal(err)
	}
	if again, err := os.ReadFile(name); err != nil || !bytes.Equal(again, whole) {
		t.Errorf("got another file, %v", err)
	}
}

func TestWithdrawnIsInNoIndex(t *testing.T) {
	root, _, lines := withdrawable(t)
	tombstone, err := Withdraw(root, "warc", lines[3])
	if err != nil {
		t.Fatal(err)
	}
	lines[3] = tombstone
	var index bytes.Buffer
	if err := SortIndex(&index, bytes.NewReader(slices.Concat(lines...)), ""); err != nil {
		t.Fatal(err)
	}
	if n := strings.Count(index.String(), "\n"); n != len(lines)-1 || strings.Contains(index.String(), "farm.example/3") {
		t.Errorf("got %d lines, want one less than %d", n, len(lines))
	}
}

func TestWithdrawWantsRoom(t *testing.T) {
	root, _, lines := withdrawable(t)
	short := bytes.Replace(lines[0], []byte(`"length":"`), []byte(`"length":"1","x":"`), 1)
	if _, err := Withdraw(root, "warc", short); !errors.Is(err, ErrNoRoom) {
		t.Errorf("got %v, want no room", err)
	}
}

// TestPythonReadsWithdrawnMembers has another maker's gzip.
func TestPythonReadsWithdrawnMembers(t *testing.T) {
	python, err := exec.LookPath("python3")
	if err != nil {
		if os.Getenv("DECORUM_CI") != "" {
			t.Fatal("needs python3, which .ci/run installs")
		}
		t.Skip("needs python3")
	}
	root, name, lines := withdrawable(t)
	for _, line := range lines {
		if _, err := Withdraw(root, "warc", line); err != nil {
			t.Fatal(err)
		}
	}
	data, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	out, err := exec.CommandContext(t.Context(), python, "-c", "import gzip, sys; sys.stdout.buffer.write(gzip.open(sys.argv[1]).read())", name).Output()
	if err != nil || !bytes.Equal(out, unzipped(t, data)) {
		t.Errorf("got %d bytes, %v, want what the standard library reads", len(out), err)
	}
}
