package robots

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestStatements(t *testing.T) {
	tests := []struct {
		name    string
		headers []string
		metas   [][2]string
		names   string // for decorum
	}{
		{"header", []string{"NoIndex"}, nil, "noindex"},
		{"several lines", []string{"noindex", "nofollow, noarchive"}, nil, "noindex|nofollow|noarchive"},
		{"none", []string{"none"}, nil, "none"},
		{"another bot", []string{"otherbot: noindex, nofollow"}, nil, ""},
		{"ours", []string{"Decorum: noindex"}, nil, "noindex"},
		{"ours, with a blank before the colon", []string{"Decorum : noindex"}, nil, "noindex"},
		{"scope changes", []string{"otherbot: noindex, decorum: nofollow"}, nil, "nofollow"},
		{"scope robots", []string{"otherbot: noindex, robots: nofollow"}, nil, "nofollow"},
		{"value is no scope", []string{"max-snippet: 5, noindex"}, nil, "max-snippet: 5|noindex"},
		{"date of RFC 822", []string{"unavailable_after: Wed, 03 Dec 2036 13:09:53 GMT, noai"}, nil, "unavailable_after: wed, 03 dec 2036 13:09:53 gmt|noai"},
		{"date of RFC 822 without a day", []string{"unavailable_after: 25 Jun 2010 15:00:00 PST, noai"}, nil, "unavailable_after: 25 jun 2010 15:00:00 pst|noai"},
		{"date of RFC 850", []string{"unavailable_after: Wednesday, 03-Dec-36 13:09:53 GMT, noai"}, nil, "unavailable_after: wednesday, 03-dec-36 13:09:53 gmt|noai"},
		{"date of the C library", []string{"unavailable_after: Wed Dec  3 13:09:53 2036, noai"}, nil, "unavailable_after: wed dec  3 13:09:53 2036|noai"},
		{"date of ISO 8601", []string{"unavailable_after: 2036-12-03T13:09:53+01:00, noai"}, nil, "unavailable_after: 2036-12-03t13:09:53+01:00|noai"},
		{"date alone of ISO 8601", []string{"unavailable_after:2036-12-03,noai"}, nil, "unavailable_after:2036-12-03|noai"},
		{"date with an offset", []string{"unavailable_after: 03 Dec 2036 13:09:53 +0100; noai"}, nil, "unavailable_after: 03 dec 2036 13:09:53 +0100|noai"},
		{"date for another bot, then ours", []string{"otherbot: unavailable_after: Wed, 03 Dec 2036 13:09:53 GMT, decorum: noai"}, nil, "noai"},
		{"no date at all", []string{"unavailable_after: never, noai"}, nil, "unavailable_after: never|noai"},
		{"scope with a blank is none", []string{"some bot: noindex"}, nil, "noindex"},
		{"scope with a digit first is none", []string{"3bot: noai"}, nil, "noai"},
		{"blanks instead of commas", []string{"noindex nofollow"}, nil, "noindex|nofollow"},
		{"value, then no comma", []string{"max-snippet:-1 noai", "unavailable_after: 3 Dec 2036 10:00:00 GMT nofollow"}, nil, "max-snippet:-1|noai|unavailable_after: 3 dec 2036 10:00:00 gmt|nofollow"},
		{"value that looks like a directive", []string{"max-image-preview:none"}, nil, "max-image-preview:none"},
		{"slash", []string{"noindex/noai"}, nil, "noindex|noai"},
		{"bar", []string{"noindex|noai"}, nil, "noindex|noai"},
		{"quotes", []string{`"noindex, noai"`}, nil, "noindex|noai"},
		{"full stop", []string{"noai."}, nil, "noai"},
		{"directive with a value", []string{"noai=yes", "nofollow: true, noindex"}, nil, "noai|nofollow|noindex"},
		{"directive that looks like a scope", []string{"noindex: true, noai", "all: nofollow"}, nil, "noindex|noai|all|nofollow"},
		{"Latin-1 blank", []string{"noindex,\xa0noai"}, nil, "noindex|noai"},
		{"meta for several", nil, [][2]string{{"robots,googlebot", "noai"}, {"otherbot decorum", "nofollow"}}, "noai|nofollow"},
		{"semicolons", []string{"noindex; noai"}, nil, "noindex|noai"},
		{"meta", nil, [][2]string{{"ROBOTS", "noindex,follow"}}, "noindex|follow"},
		{"meta with blanks", nil, [][2]string{{" robots ", " noindex\n nofollow "}}, "noindex|nofollow"},
		{"meta of ours", nil, [][2]string{{"decorum", "nofollow"}}, "nofollow"},
		{"meta of another", nil, [][2]string{{"googlebot", "noindex"}}, ""},
		{"meta with a date", nil, [][2]string{{"robots", "unavailable_after: Wed, 03 Dec 2036 13:09:53 GMT, noai"}}, "unavailable_after: wed, 03 dec 2036 13:09:53 gmt|noai"},
		{"meta that is no directive", nil, [][2]string{{"description", "all about decorum: noindex and more"}}, ""},
		{"twice", []string{"noai"}, [][2]string{{"robots", "noai"}}, "noai"},
		{"after more than is kept", []string{strings.Repeat("x"+strings.Repeat("y", 200)+",", 300) + "noai"}, nil, "noai"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var s Statements
			for _, value := range test.headers {
				s.AddHeader(value)
			}
			for _, meta := range test.metas {
				s.AddMeta(meta[0], meta[1])
			}
			if got := strings.Join(s.For("Decorum/1.0").Names, "|"); got != test.names {
				t.Errorf("got %q, want %q", got, test.names)
			}
		})
	}
}

func TestStatementsForbid(t *testing.T) {
	for directive, want := range map[string]Directives{
		"none":     {NoIndex: true, NoFollow: true, Names: []string{"none"}},
		"noindex":  {NoIndex: true, Names: []string{"noindex"}},
		"nofollow": {NoFollow: true, Names: []string{"nofollow"}},
		"all":      {Names: []string{"all"}},
	} {
		var s Statements
		s.AddHeader(directive)
		if diff := cmp.Diff(want, s.For("decorum")); diff != "" {
			t.Errorf("%s: got +, want -:\n%s", directive, diff)
		}
	}
}

func TestStatementsForOthers(t *testing.T) {
	var s Statements
	s.AddHeader("googlebot: noindex, otherbot: nofollow, noai")
	s.AddMeta("GoogleBot", "nosnippet, of no meaning")
	s.AddMeta("description", "a page")
	want := map[string][]string{"googlebot": {"noindex", "nosnippet"}, "otherbot": {"nofollow", "noai"}}
	if diff := cmp.Diff(want, s.Scoped()); diff != "" {
		t.Errorf("got +, want -:\n%s", diff)
	}
	if got := s.For("Googlebot"); !got.NoIndex || got.NoFollow {
		t.Errorf("got %+v", got)
	}
}

// FuzzStatements shows that a directive that forbids everyone is found at the
// end of whatever comes before it, if that is no scope.
func FuzzStatements(f *testing.F) {
	f.Add("unavailable_after: Wed, 03 Dec 2036 13:09:53 GMT")
	f.Add("some bot: x; max-snippet:")
	f.Fuzz(func(t *testing.T, before string) {
		if strings.ContainsAny(before, ":\r\n") {
			var s Statements
			s.AddHeader(before)
			s.AddMeta("robots", before)
			return
		}
		var s Statements
		s.AddHeader(before + ", noai")
		if got := s.For("decorum").Names; len(got) == 0 || !strings.Contains(strings.Join(got, " "), "noai") {
			t.Errorf("%q: got %q", before, got)
		}
	})
}
