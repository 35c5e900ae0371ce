package robots

import (
	"strings"
	"testing"
)

func TestDirectives(t *testing.T) {
	tests := []struct {
		name              string
		headers           []string
		metas             [][2]string
		noindex, nofollow bool
		names             string
	}{
		{"header", []string{"NoIndex"}, nil, true, false, "noindex"},
		{"several lines", []string{"noindex", "nofollow, noarchive"}, nil, true, true, "noindex nofollow noarchive"},
		{"none", []string{"none"}, nil, true, true, "none"},
		{"another bot", []string{"otherbot: noindex, nofollow"}, nil, false, false, ""},
		{"ours", []string{"Decorum: noindex"}, nil, true, false, "noindex"},
		{"scope changes", []string{"otherbot: noindex, decorum: nofollow"}, nil, false, true, "nofollow"},
		{"value is no scope", []string{"max-snippet: 5, noindex"}, nil, true, false, "max-snippet: 5 noindex"},
		{"meta", nil, [][2]string{{"ROBOTS", "noindex,follow"}}, true, false, "noindex follow"},
		{"meta of ours", nil, [][2]string{{"decorum", "nofollow"}}, false, true, "nofollow"},
		{"meta of another", nil, [][2]string{{"googlebot", "noindex"}}, false, false, ""},
		{"twice", []string{"noai"}, [][2]string{{"robots", "noai"}}, false, false, "noai"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got Directives
			for _, value := range test.headers {
				got.AddHeader("decorum", value)
			}
			for _, meta := range test.metas {
				got.AddMeta("decorum", meta[0], meta[1])
			}
			if got.NoIndex != test.noindex || got.NoFollow != test.nofollow || strings.Join(got.Names, " ") != test.names {
				t.Errorf("got %+v, want noindex %v nofollow %v %q", got, test.noindex, test.nofollow, test.names)
			}
		})
	}
}
