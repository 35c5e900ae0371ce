package http1

import (
	"bufio"
	"bytes"
	"net/http"
	"regexp"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestRepair(t *testing.T) {
	const ok = "HTTP/1.1 200 OK\r\n"
	for _, test := range []struct{ name, head, want string }{
		{"nothing to repair", ok + "Content-Type: text/html\r\nX-Odd:   c\r\n\r\n", ok + "Content-Type: text/html\r\nX-Odd:   c\r\n\r\n"},
		{"LF alone", "HTTP/1.1 200 OK\nA: b\n\n", ok + "A: b\r\n\r\n"},
		{"no colon", ok + "Broken-Line\r\nA: b\r\n\r\n", ok + "A: b\r\n\r\n"},
		{"no colon, folded", ok + "Broken\r\n and: more\r\nA: b\r\n\r\n", ok + "A: b\r\n\r\n"},
		{"folded", ok + "A: b\r\n\tc\r\n\r\n", ok + "A: b\r\n\tc\r\n\r\n"},
		{"fold of nothing", ok + " A: b\r\nC: d\r\n\r\n", ok + "C: d\r\n\r\n"},
		{"no name", ok + ": b\r\n\r\n", ok + "\r\n"},
		{"name that is no token", ok + "A b: c\r\n<p>: d\r\n\r\n", ok + "\r\n"},
		{"blank before the colon of a length", ok + "Content-Length : 4\r\n\r\n", ok + "Content-Length: 4\r\n\r\n"},
		{"blank before the colon", ok + "Content-Type : text/html\r\n\r\n", ok + "Content-Type: text/html\r\n\r\n"},
		{"control characters", ok + "A: b\x00c\x01d\te\r\n\r\n", ok + "A: b c d\te\r\n\r\n"},
		{"bytes that are not ASCII", ok + "Location: /caf\xe9\r\n\r\n", ok + "Location: /caf\xe9\r\n\r\n"},
		{"length twice in a line", ok + "Content-Length: 4, 4\r\n\r\n", ok + "Content-Length: 4\r\n\r\n"},
		{"length that is no number", ok + "Content-Length: chunked\r\n\r\n", ok + "\r\n"},
		{"negative length", ok + "Content-Length: -1\r\n\r\n", ok + "\r\n"},
		{"transfer coding that is none", ok + "Transfer-Encoding: identity\r\n\r\n", ok + "\r\n"},
		{"gzip under chunked", ok + "Transfer-Encoding: gzip, chunked\r\n\r\n", ok + "Transfer-Encoding: chunked\r\nContent-Encoding: gzip\r\n\r\n"},
		{"coding that ends like chunked", ok + "Transfer-Encoding: notchunked\r\n\r\n", ok + "\r\n"},
		{"length that is too long", ok + "Content-Length: 12345678901234567890123\r\n\r\n", ok + "\r\n"},
		{"trailer", ok + "Trailer: Content-Length\r\nA: b\r\n\r\n", ok + "A: b\r\n\r\n"},
		{"chunked twice", ok + "Transfer-Encoding: chunked\r\ntransfer-encoding: Chunked\r\n\r\n", ok + "Transfer-Encoding: chunked\r\n\r\n"},
		{"version without a minor one", "HTTP/1 200 OK\r\n\r\n", ok + "\r\n"},
		{"version of HTTP/2", "HTTP/2 200\r\n\r\n", "HTTP/1.1 200\r\n\r\n"},
		{"version in lower case", "http/1.0  200 OK\r\n\r\n", "HTTP/1.0 200 OK\r\n\r\n"},
		{"another protocol", "SSH-2.0-x\r\n\r\n", "SSH-2.0-x\r\n\r\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, string(repair([]byte(test.head)))); diff != "" {
				t.Errorf("got +, want -:\n%s", diff)
			}
		})
	}
}

// blankName matches a field that net/http accepts but does not know, since the blank
// counts as a part of its name.
var blankName = regexp.MustCompile(`(?m)^[^:\n]*[ \t]:`)

// FuzzRepair checks that net/http reads a valid head the same after repairing it.
func FuzzRepair(f *testing.F) {
	f.Add([]byte("HTTP/1.1 200 OK\r\nA: b\r\n c\r\nContent-Length: 2, 2\r\n\r\n"))
	f.Add([]byte("HTTP/1.0 200\nTransfer-Encoding: chunked\nContent-Length: 4\n\n"))
	f.Add([]byte("HTTP/1.0 200\nTransfer-Encoding: chunked\nContent-Length :4\n\n"))
	f.Fuzz(func(t *testing.T, head []byte) {
		end := headEnd(head)
		if end < 0 {
			return
		}
		head = head[:end]
		repaired := repair(head)
		if got := headEnd(repaired); got != len(repaired) {
			t.Fatalf("got %q with its end at %d", repaired, got)
		}
		before, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(head)), nil)
		if err != nil || blankName.Match(head) {
			return
		}
		after, err := http.ReadResponse(bufio.NewReader(bytes.NewReader(repaired)), nil)
		if err != nil {
			t.Fatalf("%q is repaired to %q: %v", head, repaired, err)
		}
		if before.StatusCode != after.StatusCode || before.ContentLength != after.ContentLength {
			t.Errorf("%q is repaired to %q", head, repaired)
		}
	})
}
