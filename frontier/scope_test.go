package frontier

import "testing"

func TestScope(t *testing.T) {
	seeds := []string{"https://www.shop.co.uk/docs/index.html?x=1"}
	tests := []struct {
		name             string
		reach            Reach
		include, exclude []string
		url              string
		want             Reason
	}{
		{"same host", ReachHost, nil, nil, "https://www.shop.co.uk/a", ""},
		{"same host, other scheme", ReachHost, nil, nil, "http://www.shop.co.uk/a", ""},
		{"other host", ReachHost, nil, nil, "https://shop.co.uk/", SkipOutOfScope},
		{"other port", ReachHost, nil, nil, "https://www.shop.co.uk:8443/", SkipOutOfScope},
		{"same domain", ReachDomain, nil, nil, "https://img.shop.co.uk/", ""},
		{"public suffix is not a domain", ReachDomain, nil, nil, "https://other.co.uk/", SkipOutOfScope},
		{"in the folder", ReachPrefix, nil, nil, "https://www.shop.co.uk/docs/a/b", ""},
		{"next to the folder", ReachPrefix, nil, nil, "https://www.shop.co.uk/docs2", SkipOutOfScope},
		{"any", ReachAny, nil, nil, "https://elsewhere.example/", ""},
		{"included", ReachHost, []string{`/p/\d+$`}, nil, "https://www.shop.co.uk/p/12", ""},
		{"not included", ReachHost, []string{`/p/\d+$`}, nil, "https://www.shop.co.uk/p/x", SkipExcluded},
		{"excluded", ReachHost, nil, []string{`[?&]sort=`}, "https://www.shop.co.uk/l?sort=up", SkipExcluded},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			scope, err := NewScope(test.reach, seeds, test.include, test.exclude)
			if err != nil {
				t.Fatal(err)
			}
			if got := scope.Judge(test.url); got != test.want {
				t.Errorf("got %q, want %q for %s", got, test.want, test.url)
			}
		})
	}
}

func TestScopeRefuses(t *testing.T) {
	if _, err := NewScope("planet", nil, nil, nil); err == nil {
		t.Error("got no error for an unknown reach")
	}
	if _, err := NewScope(ReachHost, nil, []string{"("}, nil); err == nil {
		t.Error("got no error for a broken expression")
	}
}
