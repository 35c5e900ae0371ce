package sitemap

import (
	"encoding/json"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
)

type vector struct {
	File     string
	About    string
	BaseURL  string `json:"base_url"`
	Kind     Kind
	URLs     []map[string]json.RawMessage
	Count    int
	Warnings []string
	Error    *string
}

func TestVectors(t *testing.T) {
	data, err := os.ReadFile("testdata/expected.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(string(data)) {
		var v vector
		if err := json.Unmarshal([]byte(line), &v); err != nil {
			t.Fatal(err)
		}
		t.Run(v.File, func(t *testing.T) { checkVector(t, v) })
	}
}

func checkVector(t *testing.T, v vector) {
	t.Helper()
	file, err := os.Open(filepath.Join("testdata", v.File))
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	base, err := url.Parse(v.BaseURL)
	if err != nil {
		t.Fatal(err)
	}
	r := NewReader(file, base, Options{})
	var got []Entry
	code := ""
	for entry, err := range r.Entries() {
		if err != nil {
			code = Code(err)
			break
		}
		got = append(got, entry)
	}
	want := ""
	if v.Error != nil {
		want = *v.Error
	}
	if code != want || r.Kind() != v.Kind {
		t.Errorf("got kind %s, error %q, want %s, %q: %s", r.Kind(), code, v.Kind, want, v.About)
	}
	if diff := cmp.Diff(codes(r.Problems()), unique(v.Warnings)); diff != "" {
		t.Errorf("warnings (got -, want +): %s\n%s", v.About, diff)
	}
	switch {
	case v.Count > 0 && len(got) != v.Count, v.Count < 0 && len(got) < -v.Count:
		t.Errorf("got %d entries, want %d", len(got), v.Count)
	case v.Count == 0:
		checkEntries(t, got, v)
	}
}

func codes(problems []Problem) []string {
	list := []string{}
	for _, p := range problems {
		list = append(list, p.Code)
	}
	return unique(list)
}

func unique(list []string) []string {
	list = append([]string{}, list...)
	slices.Sort(list)
	return slices.Compact(list)
}

func checkEntries(t *testing.T, got []Entry, v vector) {
	t.Helper()
	if len(got) != len(v.URLs) {
		t.Fatalf("got %d entries, want %d: %s\n%+v", len(got), len(v.URLs), v.About, got)
	}
	for i, want := range v.URLs {
		for key, raw := range want {
			if have := field(t, got[i], key); !sameJSON(t, have, raw) {
				t.Errorf("entry %d, %s: got %s, want %s", i, key, have, raw)
			}
		}
	}
}

func field(t *testing.T, entry Entry, key string) []byte {
	t.Helper()
	var value any
	switch key {
	case "loc":
		value = entry.Loc
	case "lastmod":
		if !entry.LastMod.IsZero() {
			value = entry.LastMod.Format(time.RFC3339)
		}
	case "changefreq":
		value = entry.ChangeFreq
	case "priority":
		if entry.HasPriority {
			value = entry.Priority
		}
	case "images":
		list := []string{}
		for _, image := range entry.Images {
			list = append(list, image.Loc)
		}
		value = list
	case "alternates":
		list := []map[string]string{}
		for _, a := range entry.Alternates {
			list = append(list, map[string]string{"hreflang": a.HrefLang, "href": a.Href})
		}
		value = list
	default:
		t.Fatalf("unknown key %q", key)
	}
	data, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func sameJSON(t *testing.T, a, b []byte) bool {
	t.Helper()
	var x, y any
	if json.Unmarshal(a, &x) != nil || json.Unmarshal(b, &y) != nil {
		t.Fatalf("broken JSON %s or %s", a, b)
	}
	return cmp.Equal(x, y)
}
