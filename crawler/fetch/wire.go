package fetch

import (
	"errors"
	"io"
	"net"
	"net/http"
	"net/http/httptrace"
	"time"

	"github.com/decorum-crawler/decorum/crawler/fetch/http1"
)

// A Cut is the reason why the body of a response is incomplete. The values are
// those of WARC-Truncated.
type Cut string

// The reasons.
const (
	CutNone        Cut = ""
	CutLength      Cut = "length"      // our own limit
	CutTime        Cut = "time"        // it took too long
	CutDisconnect  Cut = "disconnect"  // the connection broke
	CutUnspecified Cut = "unspecified" // it was declined, or could not be decoded
)

// A Wire is one request and its response as they went over the connection.
type Wire struct {
	URL       string
	StartedAt time.Time
	Elapsed   time.Duration
	IP        string // of the server
	Request   []byte // request line and header lines as sent, with the empty line
	Head      []byte // status line and header lines as received, with the empty line
	Body      []byte // without the transfer coding, with the content coding
	Cut       Cut
	Decoded   []byte // what Body decodes to, as far as it was kept; nil for a sitemap
}

// Answered reports whether the wire has a response; a nil Wire has none.
func (w *Wire) Answered() bool { return w != nil && len(w.Head) > 0 }

// Withheld returns a copy of the wire without the body, for a page whose text
// must not be kept.
func (w *Wire) Withheld() *Wire {
	without := *w
	without.Body, without.Decoded, without.Cut = nil, nil, CutUnspecified
	return &without
}

// recording is an exchange whose wire is kept.
type recording struct {
	exchange *exchange
	tap      *http1.Tap
	body     rawBody
}

// trace returns the request with a trace that notes its connection.
func (l *recording) trace(request *http.Request) *http.Request {
	return request.WithContext(httptrace.WithClientTrace(request.Context(), &httptrace.ClientTrace{
		GotConn: func(info httptrace.GotConnInfo) {
			if c, ok := info.Conn.(*http1.Conn); ok && c.Tap != nil {
				c.Tap.Begin()
				l.tap = c.Tap
			}
		},
	}))
}

// maxRest is how much is read after the end of an encoded body to find the end of
// the response.
const maxRest = 64 << 10

// end makes the wire from what was recorded. err is why the body could not be read.
func (l *recording) end(err error) {
	if l.tap == nil {
		return
	}
	e := l.exchange
	if err == nil && !e.truncated && !e.refused && !e.unwanted {
		_, _ = io.CopyN(io.Discard, &l.body, maxRest) // sets body.ended at its end
	}
	w := &Wire{}
	w.Request, w.Head = l.tap.Heads()
	if host, _, err := net.SplitHostPort(l.tap.RemoteAddr().String()); err == nil {
		w.IP = host
	}
	switch {
	case e.truncated, l.body.cut:
		w.Cut = CutLength
	case l.body.ended:
	case err != nil && Classify(0, err) == FailTimeout:
		w.Cut = CutTime
	case l.body.failed:
		w.Cut = CutDisconnect
	default:
		w.Cut = CutUnspecified
	}
	e.wire = w
}

// rawBody keeps what is read of a body, as much as fits into a buffer.
type rawBody struct {
	body   io.ReadCloser
	kept   *buffer
	cut    bool // there was more
	ended  bool
	failed bool
}

// Read reads from the body and keeps what it read.
func (b *rawBody) Read(p []byte) (int, error) {
	n, err := b.body.Read(p)
	room := int(min(int64(n), b.kept.most-b.kept.len()))
	if _, fault := b.kept.Write(p[:room]); fault != nil {
		return n, fault
	}
	b.cut = b.cut || room < n
	switch {
	case errors.Is(err, io.EOF):
		b.ended = true
	case err != nil:
		b.failed = true
	}
	return n, err
}

// Close closes the body.
func (b *rawBody) Close() error { return b.body.Close() }
