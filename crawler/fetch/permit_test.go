package fetch

import (
	"net"
	"net/http"
	"net/url"
	"testing"
	"time"
)

func TestTransportRefusesWithoutPermit(t *testing.T) {
	s := newTestSite(t, map[string]any{"/": "page"})
	tr := newTransport(newGuard(Network{Loopback: true}), time.Second, 0, 1, func(string, net.Addr) {})
	request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL+"/", nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := tr.RoundTrip(request); classifyError(err) != FailPermit {
		t.Errorf("got %v, want no permit", err)
	}
	other := request.WithContext(withExchange(t.Context(), &exchange{permit: permit{s.URL + "/other"}}))
	if _, err := tr.RoundTrip(other); classifyError(err) != FailPermit {
		t.Errorf("got %v, want no permit for another URL", err)
	}
	if got := s.paths(); len(got) != 0 {
		t.Errorf("got %q asked, want nothing sent", got)
	}
}

func TestPrivateAddressIsRefused(t *testing.T) {
	s := newTestSite(t, map[string]any{"/": "page"})
	c := New(Options{Delay: -1})
	defer c.Close()
	w := want{url: s.URL + "/", limit: 2, robots: true}
	if _, err := c.visit(t.Context(), w); Classify(0, err) != FailPrivate {
		t.Errorf("got %v, want a private address", err)
	}
	u, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	named := New(Options{Delay: -1, Allow: Network{Hosts: []string{u.Host}}})
	defer named.Close()
	if got, err := named.visit(t.Context(), w); err != nil || !got.Truncated {
		t.Errorf("got %v, truncated %v, want the named host's page cut at 2 bytes", err, got.Truncated)
	}
}
