package archive

import (
	"errors"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/storage/warc"
)

func TestTimeOf(t *testing.T) {
	for date, want := range map[string]string{
		"2026-03-04T05:06:07Z":        "2026-03-04T05:06:07Z",
		"2026-03-04T05:06:07.125Z":    "2026-03-04T05:06:07.125Z",
		"2026-03-04T05:06:07.1+02:00": "2026-03-04T03:06:07.1Z",
		"2026-03-04T05:06Z":           "2026-03-04T05:06:00Z",
		"2026-03-04":                  "2026-03-04T00:00:00Z",
		"2026-03":                     "2026-03-01T00:00:00Z",
		"2026":                        "2026-01-01T00:00:00Z",
		"20260304050607":              "",
		"2026-13":                     "",
		"":                            "",
	} {
		at, err := timeOf(&warc.Record{Fields: []warc.Field{{Name: "WARC-Date", Value: date}}})
		if want == "" {
			if !errors.Is(err, warc.ErrSyntax) {
				t.Errorf("%q: got %v, %v, want it refused", date, at, err)
			}
			continue
		}
		if got := at.Format(time.RFC3339Nano); err != nil || got != want {
			t.Errorf("%q: got %s, %v, want %s", date, got, err, want)
		}
	}
}
