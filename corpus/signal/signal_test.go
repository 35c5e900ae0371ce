package signal

import (
	"encoding/json"
	"net/http"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/robots"
)

func siteOf(body string) Site {
	return Site{Robots: &robots.Document{Status: http.StatusOK, Body: []byte(body)}}
}

func one(t *testing.T, name Name, p Page, s Site) Signal {
	t.Helper()
	for _, signal := range Judge("decorum", p, s) {
		if signal.Signal == name {
			return signal
		}
	}
	t.Fatalf("no signal %s", name)
	return Signal{}
}

func TestHeaders(t *testing.T) {
	const address = "https://farm.example/t"
	tests := []struct {
		about  string
		name   Name
		header http.Header
		html   string
		robots string
		value  robots.Preference
		basis  string
		where  string
	}{
		{about: "bot-scoped directive of another", name: NameRobotsMeta, header: http.Header{"X-Robots-Tag": {"otherbot: noai"}}, value: none, basis: "no directive"},
		{about: "bot-scoped directive of ours", name: NameRobotsMeta, header: http.Header{"X-Robots-Tag": {"Decorum: NoAI"}}, value: against, basis: "header noai", where: "header"},
		{about: "meta of our token", name: NameRobotsMeta, html: `<meta name=decorum content=noml>`, value: against, basis: "meta noml", where: "html"},
		{about: "meta of another token", name: NameRobotsMeta, html: `<meta name=otherbot content=noai>`, value: none, basis: "no directive"},
		{about: "images only", name: NameRobotsMeta, header: http.Header{"X-Robots-Tag": {"noimageai"}}, value: none, basis: "noimageai recorded only", where: "header"},
		{about: "after the head", name: NameRobotsMeta, html: `<head></head><body><meta name=robots content=noai>`, value: against, basis: "meta noai", where: "html"},
		{about: "late in the body", name: NameRobotsMeta, html: `<body><p>` + strings.Repeat("text ", 1000) + `<META name=robots content="all, NoML">`, value: against, basis: "meta noml", where: "html"},
		{about: "in noscript", name: NameRobotsMeta, html: `<head><noscript><meta name=robots content=noai></noscript></head>`, value: against, basis: "meta noai", where: "html"},
		{about: "as a header in the page", name: NameRobotsMeta, html: `<head><meta http-equiv=X-Robots-Tag content=noai>`, value: against, basis: "meta noai", where: "html"},
		{about: "after a long script", name: NameRobotsMeta, html: `<head><script>` + strings.Repeat("var x = 1; ", 50_000) + `</script><meta name=robots content=noai>`, value: against, basis: "meta noai", where: "html"},
		{about: "after a script that ends in its tag, of XHTML", name: NameRobotsMeta, header: http.Header{"Content-Type": {"application/xhtml+xml"}}, html: `<head><script src="x"/><title/><meta name="robots" content="noai"/></head>`, value: against, basis: "meta noai", where: "html"},
		{about: "after a style of SVG", name: NameRobotsMeta, html: `<body><svg><style/></svg><meta name=robots content=noai>`, value: against, basis: "meta noai", where: "html"},
		{about: "in noframes", name: NameRobotsMeta, html: `<head></head><noframes><meta name=robots content=noai></noframes>`, value: against, basis: "meta noai", where: "html"},
		{about: "after many others", name: NameRobotsMeta, html: strings.Repeat(`<meta name=otherbot content=noai>`, 300) + `<meta property=robots content=noai>`, value: against, basis: "meta noai", where: "html"},
		{about: "in a script", name: NameRobotsMeta, html: `<head><script>'<meta name=robots content=noai>'</script></head>`, value: none, basis: "no directive"},
		{about: "a yes after the head", name: NameTDMRep, html: `<head></head><body><meta name=tdm-reservation content=0>`, value: none, basis: "absent"},
		{about: "after a date", name: NameRobotsMeta, header: http.Header{"X-Robots-Tag": {"unavailable_after: Wed, 03 Dec 2036 13:09:53 GMT, noai"}}, value: against, basis: "header noai", where: "header"},
		{about: "in a comment", name: NameRobotsMeta, html: `<head><!-- <meta name=robots content=noai> -->`, value: none, basis: "no directive"},
		{about: "header's yes against robots' no", name: NameContentSignal, header: http.Header{"Content-Signal": {"ai-train=yes"}}, robots: "User-agent: *\nContent-Signal: ai-train=no\n", value: against, basis: "robots group *", where: "robots"},
		{about: "header's no against robots' yes", name: NameContentSignal, header: http.Header{"Content-Signal": {"ai-train=no"}}, robots: "User-agent: *\nContent-Signal: ai-train=yes\n", value: against, basis: "header", where: "header"},
		{about: "another bot's line", name: NameContentSignal, robots: "User-agent: other\nContent-Signal: ai-train=no\n", value: none, basis: "absent"},
		{about: "neither yes nor no", name: NameContentSignal, header: http.Header{"Content-Signal": {"ai-train=maybe"}}, value: none, basis: "parse_error", where: "header"},
		{about: "header against robots", name: NameContentUsage, header: http.Header{"Content-Usage": {"train-ai=n"}}, robots: "User-agent: *\nContent-Usage: train-ai=y\n", value: against, basis: "header", where: "header"},
		{about: "path that does not match", name: NameContentUsage, robots: "User-agent: *\nContent-Usage: /x train-ai=n\n", value: none, basis: "absent"},
		{about: "neither y nor n", name: NameContentUsage, header: http.Header{"Content-Usage": {"train-ai=maybe"}}, value: none, basis: "neither y nor n", where: "header"},
		{about: "inner list", name: NameContentUsage, header: http.Header{"Content-Usage": {"train-ai=(n y)"}}, value: none, basis: "not_a_token", where: "header"},
		{about: "outside of groups", name: NameContentUsage, robots: "Content-Usage: train-ai=n\nUser-agent: *\nAllow: /\n", value: none, basis: "absent"},
		{about: "reservation that is no number", name: NameTDMRep, header: http.Header{"Tdm-Reservation": {"yes"}}, value: none, basis: "parse_error", where: "header"},
		{about: "usage token", name: NameNamedBots, robots: "User-agent: Google-Extended\nDisallow: /\n", value: against, basis: "disallow for Google-Extended", where: "robots"},
		{about: "all is no usage token", name: NameNamedBots, robots: "User-agent: *\nDisallow: /\n", value: none, basis: "none named"},
		{about: "indexing", name: NameIndexing, html: `<meta name="robots" content="noarchive">`, value: against, basis: "meta noarchive", where: "html"},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			got := one(t, test.name, ReadPage(address, test.header, []byte(test.html)), siteOf(test.robots))
			if got.Value != test.value || got.Basis != test.basis || got.Where != test.where {
				t.Errorf("got %+v, want %s, %s, %s", got, test.value, test.basis, test.where)
			}
		})
	}
}

func TestTDMRepFile(t *testing.T) {
	tests := map[string]struct {
		body  string
		value robots.Preference
		basis string
	}{
		"as text":         {`[{"location": "/", "tdm-reservation": "1"}]`, against, "file rule 1"},
		"by a pattern":    {`[{"location": "/*.pdf$", "tdm-reservation": 1}, {"location": "/", "tdm-reservation": 0}]`, inFavor, "file rule 2"},
		"by a whole URL":  {`[{"location": "https://farm.example/t", "tdm-reservation": 1}]`, against, "file rule 1"},
		"nothing matches": {`[{"location": "/x", "tdm-reservation": 1}]`, none, "no_matching_rule"},
		"no list":         {`{"location": "/"}`, none, "parse_error"},
		"no JSON":         {`<html>`, none, "parse_error"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := siteOf("")
			s.TDMRep = &File{Status: 200, Body: []byte(test.body)}
			if got := one(t, NameTDMRep, ReadPage("https://farm.example/t", nil, nil), s); got.Value != test.value || got.Basis != test.basis {
				t.Errorf("got %+v, want %s, %s", got, test.value, test.basis)
			}
		})
	}
}

func TestRSL(t *testing.T) {
	const license = "https://farm.example/license.xml"
	tests := map[string]struct {
		content string
		value   robots.Preference
		basis   string
	}{
		"prohibited":             {`<content url="/"><license><prohibits type="usage">ai-train</prohibits></license></content>`, against, "prohibits ai-train"},
		"prohibited with others": {`<content url="/"><license><prohibits type="usage">search, ai-all</prohibits></license></content>`, against, "prohibits ai-all"},
		"not among the permits":  {`<content url="/"><license><permits type="usage">search</permits></license></content>`, against, "training is not among what is permitted"},
		"by country only":        {`<content url="/"><license><permits type="geo">US</permits></license></content>`, none, "usage not stated"},
		"to be paid":             {`<content url="/"><license><permits type="usage">all</permits><payment type="purchase"/></license></content>`, against, "payment purchase"},
		"one of two is free":     {`<content url="/"><license><permits type="usage">all</permits><payment type="purchase"/></license><license><permits type="usage">ai-train</permits><payment type="free"/></license></content>`, inFavor, "permits ai-train, free"},
		"another content":        {`<content url="/x"><license><prohibits type="usage">all</prohibits></license></content>`, none, "no content matches"},
		"the longest counts":     {`<content url="/"><license><permits type="usage">all</permits></license></content><content url="/t"><license><prohibits type="usage">all</prohibits></license></content>`, against, "prohibits all"},
		"not closed":             {`<content url="/"><lic`, none, "license_unreadable"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			s := siteOf("User-agent: *\nLicense: " + license + "\n")
			s.Licenses = map[string]*File{license: {Status: 200, Body: []byte("<rsl xmlns=\"https://rslstandard.org/rsl\">" + test.content + "</rsl>")}}
			if got := one(t, NameRSL, ReadPage("https://farm.example/t", nil, nil), s); got.Value != test.value || got.Basis != test.basis || got.Line != 2 {
				t.Errorf("got %+v, want %s, %s", got, test.value, test.basis)
			}
		})
	}
}

func TestLicenseURLs(t *testing.T) {
	header := http.Header{"Link": {`</style.css>; rel=preload, </a.xml>; rel="license"; type="application/rsl+xml"`, `<https://creativecommons.org/licenses/by/4.0/>; rel=license`}}
	html := `<link rel="License" type="application/rsl+xml" href="b.xml"><link rel=license href="https://creativecommons.org/">`
	got := LicenseURLs("decorum", ReadPage("https://farm.example/d/t", header, []byte(html)), siteOf("User-agent: *\nLicense: /a.xml\n"))
	if diff := cmp.Diff([]string{"https://farm.example/a.xml", "https://farm.example/d/b.xml"}, got); diff != "" {
		t.Error(diff)
	}
}

func TestPolicies(t *testing.T) {
	const address = "https://farm.example/t"
	tests := []struct {
		about                     string
		robots                    string
		header                    http.Header
		token, declared, cautious Train
	}{
		{"nothing", "", nil, TrainNone, TrainNone, TrainExcluded},
		{"training allowed", "User-agent: __usage_ai-training\nAllow: /\n", nil, TrainInFavor, TrainInFavor, TrainInFavor},
		{"empty training group", "User-agent: __usage_ai-training\n", nil, TrainInFavor, TrainInFavor, TrainExcluded},
		{"header no", "User-agent: __usage_ai-training\nAllow: /\n", http.Header{"Content-Signal": {"ai-train=no"}}, TrainInFavor, TrainExcluded, TrainExcluded},
		{"noindex", "User-agent: __usage_ai-training\nAllow: /\n", http.Header{"X-Robots-Tag": {"noindex"}}, TrainInFavor, TrainInFavor, TrainExcluded},
		{"broken field", "User-agent: __usage_ai-training\nAllow: /\n", http.Header{"Content-Usage": {"Train-AI=n"}}, TrainInFavor, TrainInFavor, TrainExcluded},
		{"named bot", "User-agent: __usage_ai-training\nAllow: /\nUser-agent: Google-Extended\nDisallow: /\n", nil, TrainInFavor, TrainInFavor, TrainExcluded},
		{"unread license", "User-agent: __usage_ai-training\nAllow: /\nLicense: /l.xml\n", nil, TrainInFavor, TrainInFavor, TrainInFavor},
		{"unread license of our group", "User-agent: __usage_ai-training\nAllow: /\nUser-agent: *\nLicense: https://farm.example/l.xml\n", nil, TrainInFavor, TrainHold, TrainHold},
	}
	for _, test := range tests {
		t.Run(test.about, func(t *testing.T) {
			signals := Judge("decorum", ReadPage(address, test.header, nil), siteOf(test.robots))
			for name, want := range map[string]Train{"token": test.token, "declared/1": test.declared, "cautious": test.cautious} {
				policy, err := PolicyOf(name)
				if err != nil {
					t.Fatal(err)
				}
				if got := policy.Decide(signals); got.Train != want || got.Basis == "" || got.Policy != policy.String() {
					t.Errorf("%s: got %s by %s, want %s", name, got.Train, got.Basis, want)
				}
			}
		})
	}
	if _, err := PolicyOf("mine"); err == nil {
		t.Error("got a policy that is not there")
	}
}

func TestTheStrictestOriginCounts(t *testing.T) {
	judge := func(body string) []Signal {
		return Judge("decorum", ReadPage("https://farm.example/t", nil, nil), siteOf(body))
	}
	const yes, no = "User-agent: __usage_ai-training\nAllow: /\n", "User-agent: __usage_ai-training\nDisallow: /\n"
	policy := Policies()[0]
	tests := []struct {
		first, last string
		want        Train
	}{{yes, yes, TrainInFavor}, {yes, "", TrainNone}, {"", yes, TrainNone}, {no, yes, TrainExcluded}, {yes, no, TrainExcluded}}
	for _, test := range tests {
		got := policy.Decide(judge(test.first), judge(test.last))
		if got.Train != test.want {
			t.Errorf("%q to %q: got %s, want %s", test.first, test.last, got.Train, test.want)
		}
		if excluded := got.Signals[0].Value == against; excluded != (test.want == TrainExcluded) {
			t.Errorf("%q to %q: got %+v, want the signal that decided", test.first, test.last, got.Signals[0])
		}
	}
}

func TestOverrides(t *testing.T) {
	list, err := ReadOverrides([]byte("- pattern: https://farm.example/*/open\n  license: F-17\n  approver: legal@you.example\n  expires: 2030-01-31\n"))
	if err != nil {
		t.Fatal(err)
	}
	excluded := Decision{Train: TrainExcluded, Basis: "token: disallow:/"}
	day := func(text string) time.Time {
		at, err := time.Parse(time.DateTime, text)
		if err != nil {
			t.Fatal(err)
		}
		return at
	}
	tests := []struct {
		address, at string
		want        Train
	}{
		{"https://farm.example/a/open/1", "2030-01-31 23:59:59", TrainInFavor},
		{"https://farm.example/a/open/1", "2030-02-01 00:00:00", TrainExcluded},
		{"https://farm.example/a/closed", "2026-01-01 00:00:00", TrainExcluded},
	}
	for _, test := range tests {
		if got := list.Apply(excluded, test.address, day(test.at)); got.Train != test.want {
			t.Errorf("%s at %s: got %+v, want %s", test.address, test.at, got, test.want)
		}
	}
	for name, text := range map[string]string{
		"unknown field": "- {pattern: https://x, license: a, approver: b, expires: 2030-01-01, why: c}",
		"no approver":   "- {pattern: https://x, license: a, expires: 2030-01-01}",
		"no day":        "- {pattern: https://x, license: a, approver: b, expires: never}",
		"no scheme":     "- {pattern: farm.example, license: a, approver: b, expires: 2030-01-01}",
	} {
		if _, err := ReadOverrides([]byte(text)); err == nil {
			t.Errorf("%s: got no error", name)
		}
	}
}

// FuzzJudge wants no panic, one signal of each kind in order, and the same signals
// from the stored evidence of the page.
func FuzzJudge(f *testing.F) {
	for _, v := range vectors(f) {
		tdm, rsl := string(v.TDMRep), ""
		if v.RSL != nil {
			rsl = *v.RSL
		}
		f.Add(v.Robots, v.HTML, "train-ai=n", tdm, rsl)
	}
	f.Fuzz(func(t *testing.T, body, html, line, tdm, rsl string) {
		header := http.Header{"Content-Usage": {line}, "Content-Signal": {line}, "X-Robots-Tag": {line}, "Link": {line}, "Tdm-Reservation": {line}}
		s := siteOf(body)
		s.TDMRep = &File{Status: 200, Body: []byte(tdm)}
		p := ReadPage("https://farm.example/t", header, []byte(html))
		s.Licenses = map[string]*File{}
		for _, address := range LicenseURLs("decorum", p, s) {
			s.Licenses[address] = &File{Status: 200, Body: []byte(rsl)}
		}
		signals := Judge("decorum", p, s)
		if len(signals) != 9 {
			t.Fatalf("got %d signals", len(signals))
		}
		stored, err := json.Marshal(p)
		if err != nil {
			t.Fatal(err)
		}
		var again Page
		if err := json.Unmarshal(stored, &again); err != nil {
			t.Fatal(err)
		}
		for i, s := range Judge("decorum", again, s) {
			if s.Value != signals[i].Value || s.Signal != signals[i].Signal {
				t.Fatalf("got %+v from what is kept, want %+v", s, signals[i])
			}
		}
	})
}
