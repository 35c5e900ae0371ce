package fetch

import (
	"net/http"
	"testing"
	"time"
)

func TestRetryAfter(t *testing.T) {
	now := time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)
	tests := map[string]time.Duration{
		"": -1, "5": 5 * time.Second, "-5": -1, "1e9": -1, "NaN": -1, "99999999999999999999": maxRetryAfter,
		"Fri, 02 Jan 2026 03:05:05 GMT": time.Minute, "Thu, 01 Jan 1970 00:00:00 GMT": -1,
	}
	for value, want := range tests {
		got, ok := RetryAfter(http.Header{"Retry-After": {value}}, now)
		if ok != (want >= 0) || ok && got.Sub(now) != want {
			t.Errorf("%q: got %v %v, want %v", value, got.Sub(now), ok, want)
		}
	}
}
