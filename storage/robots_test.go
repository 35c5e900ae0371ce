package storage

import (
	"net/http"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/decorum-crawler/decorum/robots"
)

func TestRobotsStore(t *testing.T) {
	stores := map[string]robots.Store{"memory": &robots.Memory{}}
	s, _ := create(t)
	defer s.Close()
	stores["state"] = s
	for name, store := range stores {
		t.Run(name, func(t *testing.T) {
			if got, err := store.Load(t.Context(), "https://a.example"); got != nil || err != nil {
				t.Errorf("got %+v, %v, want nothing", got, err)
			}
			want := &robots.Document{
				Origin: "https://a.example", FinalURL: "https://a.example/robots.txt", Status: 200,
				Header: http.Header{"Etag": {`"x"`}}, Body: []byte("User-agent: *\n"), FetchedAt: time.Unix(5, 0).UTC(),
			}
			for range 2 {
				if err := store.Save(t.Context(), want); err != nil {
					t.Fatal(err)
				}
			}
			got, err := store.Load(t.Context(), want.Origin)
			fields := cmpopts.IgnoreUnexported(robots.Document{}) // what was derived from the others
			if diff := cmp.Diff(got, want, fields); err != nil || diff != "" {
				t.Errorf("got %v, difference %s", err, diff)
			}
		})
	}
}
