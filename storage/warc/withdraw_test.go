package warc

import (
	"bytes"
	stdgzip "compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// withdrawable writes pages of many lengths and returns their index lines.
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

// unzipped decompresses all members of a file by the standard library.
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
			t.Errorf("%s: its response is still there", l.URL)
		}
		for _, once := range [][]byte{line, tombstone} {
			if again, err := Withdraw(root, "warc", once); err != nil || !bytes.Equal(again, tombstone) {
				t.Errorf("again by %q: got %q, %v", once, again, err)
			}
		}
		if twice, err := os.ReadFile(name); err != nil || !bytes.Equal(twice, data) {
			t.Errorf("again: the file differs, %v", err)
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
			t.Errorf("%s: its digest does not match", record.URL())
		}
		kinds[record.Type()]++
		if record.Type() == typeResponse && record.Field("WARC-Truncated") == TruncatedUnspecified && string(block) == "HTTP/1.1 200 \r\n\r\n" {
			withdrawn--
		}
	}
	if withdrawn != 0 || kinds[typeRequest] != 10 || kinds[typeInfo] != 1 {
		t.Errorf("got %v, %d withdrawn records too few", kinds, withdrawn)
	}
}

// TestWithdrawAfterACrash withdraws again when only a part was written.
func TestWithdrawAfterACrash(t *testing.T) {
	root, file, lines := withdrawable(t)
	line := lines[7]
	l, err := ParseIndexLine(line)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Withdraw(root, "warc", line); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, n := range []int64{0, 1, 10, 20, l.Length / 2, l.Length - 1} {
		cut, end := l.Offset+n, l.Offset+l.Length
		for name, torn := range map[string][]byte{
			"up to":   slices.Concat(whole[:cut], before[cut:]),
			"from":    slices.Concat(before[:cut], whole[cut:]),
			"damaged": slices.Concat(whole[:max(cut, l.Offset+3)], bytes.Repeat([]byte{7}, int(end-max(cut, l.Offset+3))), whole[end:]),
		} {
			if err := os.WriteFile(file, torn, 0o600); err != nil {
				t.Fatal(err)
			}
			if _, err := Withdraw(root, "warc", line); err != nil {
				t.Fatalf("%s %d: %v", name, n, err)
			}
			if again, err := os.ReadFile(file); err != nil || !bytes.Equal(again, whole) {
				t.Errorf("%s %d: got another file, %v", name, n, err)
			}
		}
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

// TestSitesWithdrawNothing has a site that declares the media type of tombstones,
// and one with the text of a tombstone in a URL.
func TestSitesWithdrawNothing(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{})
	c := capture("https://a.example/1", "<p>x")
	c.Head = []byte("HTTP/1.1 200 OK\r\nContent-Type: " + withdrawnMIME + "\r\n\r\n")
	add(t, w, c, capture("https://a.example/2?"+string(withdrawnMark), "<p>y"))
	flush(t, w)
	all := bytes.Join(a.lines, nil)
	var index bytes.Buffer
	if err := SortIndex(&index, bytes.NewReader(all), ""); err != nil || !bytes.Equal(index.Bytes(), all) {
		t.Errorf("got index %q, %v, want its lines", index.String(), err)
	}
	for _, line := range a.lines {
		if _, err := Withdraw(a.root, "warc", line); err != nil {
			t.Fatal(err)
		}
	}
	if text := unzipped(t, []byte(a.files()[FileName(0)])); bytes.Contains(text, []byte("<p>")) {
		t.Error("an answer is still there")
	}
}

// TestWithdrawTheLastAndARevisit has a file that ends with a response, and the
// header of a revisit, whose payload is in another record.
func TestWithdrawTheLastAndARevisit(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{})
	add(t, w, capture("https://a.example/1", "same"), capture("https://a.example/2", "same", "X-Secret: 1"),
		Capture{URL: "https://a.example/last", At: at, Head: []byte("HTTP/1.1 404 No\r\nX-Secret: 2\r\n\r\n"), Body: []byte("secret")})
	flush(t, w)
	before, size := a.records(), len(a.files()[FileName(0)])
	for _, line := range a.lines[1:] {
		if _, err := Withdraw(a.root, "warc", line); err != nil {
			t.Fatal(err)
		}
	}
	after := a.records() // which checks digests
	for i := range before {
		switch before[i].Fields["WARC-Target-URI"] + before[i].Fields["WARC-Type"] {
		case "https://a.example/2revisit":
			before[i].Block = "HTTP/1.1 200 \r\n\r\n"
		case "https://a.example/lastresponse":
			before[i].Block = "HTTP/1.1 404 \r\n\r\n"
		default:
			if !reflect.DeepEqual(before[i], after[i]) {
				t.Errorf("got %v, want it as before: %v", after[i], before[i])
			}
			continue
		}
		if got := after[i]; got.Block != before[i].Block || got.Offset != before[i].Offset || got.Fields["WARC-Type"] != typeResponse {
			t.Errorf("got %v, want what remains of %v", got, before[i])
		}
	}
	if got := len(a.files()[FileName(0)]); got != size {
		t.Errorf("got %d bytes, want %d", got, size)
	}
}

// TestWithdrawFitsEachMember has the shortest possible captures.
func TestWithdrawFitsEachMember(t *testing.T) {
	a := newArchive(t)
	w := a.open(0, Options{})
	status := map[string]int{"": 500, "none": 500, "HTTP/1.1 999 \r\n\r\n": 999, "HTTP/1.1 2x0 \r\n\r\n": 500, "HTTP/1.1 204 \r\n\r\n": 204}
	want := []int{}
	for head, code := range status {
		for _, url := range []string{"u:", "http://a/", "https://a.example/" + strings.Repeat("a", 300)} {
			for n := range 20 {
				add(t, w, Capture{URL: url, At: at, Head: []byte(head), Body: []byte(strings.Repeat("x", n)), Truncated: TruncatedLength})
				want = append(want, code)
			}
		}
	}
	flush(t, w)
	for _, line := range a.lines {
		if _, err := Withdraw(a.root, "warc", line); err != nil {
			t.Fatal(err)
		}
	}
	reader := NewReader(strings.NewReader(a.files()[FileName(0)]))
	if _, err := reader.Next(); err != nil { // warcinfo
		t.Fatal(err)
	}
	for i, code := range want {
		r, err := reader.Next()
		if err != nil {
			t.Fatal(err)
		}
		answer, err := r.Answer()
		if err != nil || answer.Status != code || len(answer.Fields) > 0 {
			t.Errorf("%s: got %v, %v, want the status %d", a.lines[i], answer, err, code)
		}
	}
}

func TestWithdrawRefuses(t *testing.T) {
	for name, test := range map[string]struct {
		old, changed string
		want         error
	}{
		"another record":  {`"id":"<urn:uuid:`, `"id":"<urn:uuid:0`, ErrPlace},
		"negative offset": {`"offset":"`, `"offset":"-`, ErrPlace},
		"offset":          {`"offset":"`, `"offset":"1`, ErrPlace},
		"far":             {`"offset":"`, `"offset":"9223372036854775807","x":"`, ErrPlace},
		"no length":       {`"length":"`, `"length":"0","x":"`, ErrPlace},
		"length":          {`"length":"`, `"length":"1","x":"`, ErrPlace},
		"overflow":        {`"length":"`, `"length":"9223372036854775807","x":"`, ErrPlace},
		"no file":         {`"filename":"00000`, `"filename":"00007`, fs.ErrNotExist},
		"no name":         {`"filename":"00000.warc.gz`, `"filename":"`, fs.ErrInvalid},
		"elsewhere":       {`"filename":"`, `"filename":"../warc/`, fs.ErrInvalid},
		"link":            {`"filename":"00000.warc.gz`, `"filename":"link`, fs.ErrInvalid},
	} {
		root, file, lines := withdrawable(t)
		if err := root.Symlink(FileName(0), "warc/link"); err != nil {
			t.Fatal(err)
		}
		before, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		wrong := bytes.Replace(lines[7], []byte(test.old), []byte(test.changed), 1)
		if _, err := Withdraw(root, "warc", wrong); !errors.Is(err, test.want) {
			t.Errorf("%s: got %v, want %v", name, err, test.want)
		}
		if after, err := os.ReadFile(file); err != nil || !bytes.Equal(after, before) {
			t.Errorf("%s: the file changed, %v", name, err)
		}
	}
}

// TestWithdrawWantsRoom has a record shorter than any of a Writer.
func TestWithdrawWantsRoom(t *testing.T) {
	a := newArchive(t)
	if err := a.root.Mkdir("warc", 0o700); err != nil {
		t.Fatal(err)
	}
	member := gzipped("WARC/1.1\r\nWARC-Record-ID: <a:b>\r\nContent-Length: 0\r\n\r\n\r\n\r\n")
	if err := a.root.WriteFile("warc/"+FileName(0), []byte(member), 0o600); err != nil {
		t.Fatal(err)
	}
	l := line{timestamp: "20260203040506", URL: "https://a.example/", ID: "<a:b>", Digest: emptyDigest}
	l.locate(FileName(0), 0, int64(len(member)))
	if _, err := Withdraw(a.root, "warc", l.encode()); !errors.Is(err, ErrNoRoom) || !strings.Contains(err.Error(), l.URL) {
		t.Errorf("got %v, want no room for that record", err)
	}
	if a.files()[FileName(0)] != member {
		t.Error("the file changed")
	}
}

// TestPythonReadsWithdrawnMembers reads with another gzip decoder, at once and in
// pieces, many of which have no data.
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
	script := `import gzip, sys, zlib
whole = gzip.open(sys.argv[1]).read()
pieces, rest = b"", b""
with open(sys.argv[1], "rb") as file:
    while rest or (rest := file.read(16384)):
        member = zlib.decompressobj(31)
        while not member.eof:
            piece = rest or file.read(16384)
            assert piece, "the file is cut"
            pieces, rest = pieces + member.decompress(piece), b""
        rest = member.unused_data
assert pieces == whole, "in pieces it is another"
sys.stdout.buffer.write(whole)`
	out, err := exec.CommandContext(t.Context(), python, "-c", script, name).Output()
	if err != nil || !bytes.Equal(out, unzipped(t, data)) {
		t.Errorf("got %d bytes, %v, want what the standard library reads", len(out), err)
	}
}
