package sitemap

import (
	"bytes"
	"testing"
)

// FuzzStrict compares a strict reading with a forgiving one: it reports no fewer
// problems and yields no fewer entries. Escaping may make a stray "%" readable.
func FuzzStrict(f *testing.F) {
	f.Add([]byte(`<urlset><url><loc>[</loc><loc>https://farm.example/[a]%</loc><x/></url></urlset>`))
	f.Add([]byte("https://farm.example/%zz\r\n[x\n"))
	f.Add([]byte("<urlset><url><loc>//a>b/</loc></url><url><loc>//[::1]/[</loc></url></urlset>"))
	f.Fuzz(func(t *testing.T, data []byte) {
		forgiving := readAll(NewReader(bytes.NewReader(data), base, Options{}))
		strict := readAll(NewReader(bytes.NewReader(data), base, Options{Strict: true}))
		if len(strict.Entries) < len(forgiving.Entries) || strict.Err != forgiving.Err || len(strict.Problems) < len(forgiving.Problems) {
			t.Fatalf("got %+v, want at least %+v of %q", strict, forgiving, data)
		}
	})
}
