package crawler

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"strings"
	"syscall"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
	"github.com/decorum-crawler/decorum/frontier"
)

// failure is the class of what went wrong with a request. The values stand in
// the error field of a page and are stable.
type failure string

const (
	failNone      failure = ""
	failTimeout   failure = "timeout"
	failDNS       failure = "dns"
	failDNSTry    failure = "dns-temporary"
	failConnect   failure = "connect"
	failReset     failure = "connection-reset"
	failShort     failure = "body-cut-short"
	failTLS       failure = "tls"
	failPrivate   failure = "private-address"
	failDecode    failure = "decode-error"
	failHeaders   failure = "headers-too-large"
	failPermit    failure = "no-permit"
	failProtocol  failure = "protocol"
	failThrottled failure = "throttled"
	failServer    failure = "server-error"
)

// plan says what is done about a failure.
type plan struct {
	retry bool
	wait  time.Duration // before the first retry; doubled for each further one
}

// plans is the one table of what is tried again.
var plans = map[failure]plan{
	failTimeout:   {true, 5 * time.Second},
	failDNSTry:    {true, 5 * time.Second},
	failConnect:   {true, 5 * time.Second},
	failReset:     {true, 2 * time.Second},
	failShort:     {true, 2 * time.Second},
	failThrottled: {true, 5 * time.Second},
	failServer:    {true, 2 * time.Second},
}

// maxBackoff bounds the wait before a retry.
const maxBackoff = 10 * time.Minute

// retries reports whether an item that has been asked for attempts times is
// tried again, and after how long at least.
func (f failure) retries(attempts, most int) (time.Duration, bool) {
	p := plans[f]
	if !p.retry || attempts > most {
		return 0, false
	}
	return min(p.wait<<min(max(attempts-1, 0), 16), maxBackoff), true
}

// classify gives the failure of a finished request.
func classify(status int, err error) failure {
	switch {
	case err != nil:
		return classifyError(err)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return failThrottled
	case status == http.StatusInternalServerError, status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return failServer
	}
	return failNone
}

func classifyError(err error) failure {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsTemporary || name.IsTimeout {
			return failDNSTry
		}
		return failDNS
	}
	if isTLS(err) {
		return failTLS
	}
	switch {
	case errors.Is(err, ErrPrivateAddress):
		return failPrivate
	case errors.Is(err, ErrNoPermit):
		return failPermit
	case errors.Is(err, content.ErrEncoding):
		return failDecode
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return failTimeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return failShort
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF):
		return failReset
	case strings.Contains(err.Error(), "response headers exceeded"): // net/http has no value for it
		return failHeaders
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return failConnect
	}
	return failProtocol
}

func isTimeout(err error) bool {
	timed, ok := errors.AsType[net.Error](err)
	return ok && timed.Timeout()
}

func isTLS(err error) bool {
	_, alert := errors.AsType[tls.AlertError](err)
	_, record := errors.AsType[tls.RecordHeaderError](err)
	_, verify := errors.AsType[*tls.CertificateVerificationError](err)
	_, name := errors.AsType[x509.HostnameError](err)
	_, authority := errors.AsType[x509.UnknownAuthorityError](err)
	return alert || record || verify || name || authority
}

// skipOf gives the skip reason of an address that cannot be a URL of a crawl.
func skipOf(err error) frontier.Reason {
	switch {
	case errors.Is(err, frontier.ErrScheme):
		return frontier.SkipScheme
	case errors.Is(err, frontier.ErrTooLong):
		return frontier.SkipTooLong
	default:
		return frontier.SkipBadURL
	}
}
