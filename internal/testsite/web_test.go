package testsite

import (
	"io"
	"net/http"
	"strings"
	"testing"
)

func TestWeb(t *testing.T) {
	web := New()
	defer web.Close()
	s := web.Site("shop")
	Shop(s, 30)
	for path, want := range map[string]string{"/sitemap.xml": s.URL() + "/product/29", "/list/1": "/product/20", "/none": "404"} {
		request, err := http.NewRequestWithContext(t.Context(), http.MethodGet, s.URL()+path, nil)
		if err != nil {
			t.Fatal(err)
		}
		response, err := http.DefaultTransport.RoundTrip(request)
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(response.Body)
		_ = response.Body.Close()
		if err != nil || !strings.Contains(string(body), want) {
			t.Errorf("%s: got %q, %v, want it to contain %q", path, body, err, want)
		}
	}
	if log := web.Log(); len(log) != 3 || log[0].Site != "shop" || len(web.Gaps()["shop"]) != 2 {
		t.Errorf("got log %+v", log)
	}
}
