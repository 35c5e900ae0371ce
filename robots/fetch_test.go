package robots

import (
	"fmt"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
)

func TestFetch(t *testing.T) {
	other := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		fmt.Fprint(w, "User-agent: *\nDisallow: /x\n")
	}))
	defer other.Close()
	hops := func(n int) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) {
			at := 0
			_, _ = fmt.Sscanf(r.URL.Path, "/hop%d", &at)
			if at == n {
				fmt.Fprint(w, "User-agent: *\nDisallow: /x\n")
				return
			}
			http.Redirect(w, r, fmt.Sprintf("/hop%d", at+1), http.StatusMovedPermanently)
		}
	}
	status := func(code int) http.HandlerFunc {
		return func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(code) }
	}
	redirect := func(to string) http.HandlerFunc {
		return func(w http.ResponseWriter, r *http.Request) { http.Redirect(w, r, to, http.StatusFound) }
	}
	tests := []struct {
		name    string
		handler http.HandlerFunc
		want    Reason
	}{
		{"200", hops(0), ReasonDisallowedByRule},
		{"empty 200", status(200), ReasonNoGroup},
		{"204", status(204), ReasonNoGroup},
		{"401", status(401), ReasonUnavailable},
		{"403", status(403), ReasonUnavailable},
		{"404", status(404), ReasonUnavailable},
		{"410", status(410), ReasonUnavailable},
		{"429", status(429), ReasonUnreachable},
		{"451", status(451), ReasonUnavailable},
		{"500", status(500), ReasonUnreachable},
		{"503", status(503), ReasonUnreachable},
		{"five redirects", hops(5), ReasonDisallowedByRule},
		{"six redirects", hops(6), ReasonUnreachable},
		{"loop", redirect("/robots.txt"), ReasonUnreachable},
		{"another host", redirect(other.URL + "/rules"), ReasonDisallowedByRule},
		{"another scheme", redirect("ftp://h.example/robots.txt"), ReasonUnreachable},
		{"body cut short", func(w http.ResponseWriter, _ *http.Request) {
			w.Header().Set("Content-Length", "100")
			fmt.Fprint(w, "User-agent: *\n")
		}, ReasonUnreachable},
		{"600 KiB", func(w http.ResponseWriter, _ *http.Request) {
			fmt.Fprint(w, "User-agent: *\nDisallow: /x\n"+strings.Repeat("#padding\n", 70_000))
		}, ReasonDisallowedByRule},
	}
	transport := &http.Transport{}
	defer transport.CloseIdleConnections()
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			server := httptest.NewServer(test.handler)
			defer server.Close()
			document := Fetch(t.Context(), server.URL, transport.RoundTrip)
			if got := document.Check("decorum", "/x"); got.Reason != test.want {
				t.Errorf("got %+v, want %s; status %d, error %q", got, test.want, document.Status, document.Cause())
			}
			if len(document.Body) > MaxBytes {
				t.Errorf("got %d bytes, want at most %d", len(document.Body), MaxBytes)
			}
		})
	}
}
