package fetch

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"syscall"
	"time"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// A Failure is the class of what went wrong with a request. The values are
// those of the error field of a page record and are stable.
type Failure string

// The failures; see [Failure.Retries] for those that are retried.
const (
	FailNone      Failure = ""
	FailTimeout   Failure = "timeout"
	FailDNS       Failure = "dns"
	FailDNSTry    Failure = "dns-temporary"
	FailConnect   Failure = "connect"
	FailReset     Failure = "connection-reset"
	FailShort     Failure = "body-cut-short"
	FailTLS       Failure = "tls"
	FailPrivate   Failure = "private-address"
	FailDecode    Failure = "decode-error"
	FailHeaders   Failure = "headers-too-large"
	FailPermit    Failure = "no-permit"
	FailProtocol  Failure = "protocol"
	FailThrottled Failure = "throttled"
	FailServer    Failure = "server-error"
	FailWait      Failure = "host-wait" // nothing was sent: see [WaitError]
)

// plan tells how to handle a failure.
type plan struct {
	retry bool
	wait  time.Duration // before the first retry; doubled for each further one
}

// plans lists the failures that are retried.
var plans = map[Failure]plan{
	FailTimeout:   {true, 5 * time.Second},
	FailDNSTry:    {true, 5 * time.Second},
	FailConnect:   {true, 5 * time.Second},
	FailReset:     {true, 2 * time.Second},
	FailShort:     {true, 2 * time.Second},
	FailThrottled: {true, 5 * time.Second},
	FailServer:    {true, 2 * time.Second},
	FailWait:      {true, 0}, // the time is known
}

// maxBackoff bounds the wait before a retry.
const maxBackoff = 10 * time.Minute

// Retries reports whether to retry a request that was sent attempts times, if at
// most most retries are allowed, and the least wait before that.
func (f Failure) Retries(attempts, most int) (wait time.Duration, ok bool) {
	p := plans[f]
	if !p.retry || attempts > most {
		return 0, false
	}
	return min(p.wait<<min(max(attempts-1, 0), 16), maxBackoff), true
}

// MayPass reports whether a URL that ended with a failure and a status, 0 for none,
// may have a response on another day: the host was away or overloaded, its name or
// certificate was not valid, or the status was a 5xx. A response of status 2xx whose
// body broke off counts as one.
func (f Failure) MayPass(status int) bool {
	switch f {
	case FailTimeout, FailDNS, FailDNSTry, FailConnect, FailReset, FailShort, FailTLS, FailThrottled, FailServer:
		return status/100 != 2
	}
	return status >= 500
}

// Classify returns the failure of a finished request from its status, 0 for none,
// and its error; [FailNone] if the request succeeded or must not be retried.
func Classify(status int, err error) Failure {
	switch {
	case err != nil:
		return classifyError(err)
	case status == http.StatusTooManyRequests, status == http.StatusServiceUnavailable:
		return FailThrottled
	case status == http.StatusInternalServerError, status == http.StatusBadGateway, status == http.StatusGatewayTimeout:
		return FailServer
	}
	return FailNone
}

func classifyError(err error) Failure {
	if name, ok := errors.AsType[*net.DNSError](err); ok {
		if name.IsTemporary || name.IsTimeout {
			return FailDNSTry
		}
		return FailDNS
	}
	if isTLS(err) {
		return FailTLS
	}
	switch {
	case errors.Is(err, ErrPrivateAddress):
		return FailPrivate
	case errors.Is(err, ErrNoPermit):
		return FailPermit
	case errors.Is(err, ErrWait):
		return FailWait
	case errors.Is(err, errHeaders):
		return FailHeaders
	case errors.Is(err, errSwitched):
		return FailProtocol
	case errors.Is(err, content.ErrEncoding):
		return FailDecode
	case errors.Is(err, context.DeadlineExceeded), errors.Is(err, os.ErrDeadlineExceeded), isTimeout(err):
		return FailTimeout
	case errors.Is(err, io.ErrUnexpectedEOF):
		return FailShort
	case errors.Is(err, syscall.ECONNRESET), errors.Is(err, syscall.EPIPE), errors.Is(err, io.EOF), isStreamReset(err):
		return FailReset
	}
	if operation, ok := errors.AsType[*net.OpError](err); ok && operation.Op == "dial" {
		return FailConnect
	}
	return FailProtocol
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
	_, handshake := errors.AsType[*handshakeError](err)
	return alert || record || verify || name || authority || handshake && !isBroken(err)
}

// isBroken reports whether a connection failed, whatever was said on it.
func isBroken(err error) bool {
	return isTimeout(err) || errors.Is(err, context.DeadlineExceeded) || errors.Is(err, context.Canceled) ||
		errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, syscall.ECONNRESET) || errors.Is(err, syscall.EPIPE)
}
