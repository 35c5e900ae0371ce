package robots

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestExtensions(t *testing.T) {
	f := Parse([]byte(`Content-Signal: ai-train=no
User-agent: *
Content-Usage: train-ai=n # not for all
User-agent: decorum
content-usage: /ok train-ai=y
Disallow: /x
Content-Usage: train-ai=n

User-agent: other
License: https://shop.example/rsl.xml
`))
	tests := []struct {
		name, field, agent string
		want               []Extension
	}{
		{"own group, not the one for all", FieldContentUsage, "decorum", []Extension{{"/ok train-ai=y", 5, true}, {"train-ai=n", 7, true}}},
		{"group for all", FieldContentUsage, "stranger", []Extension{{"train-ai=n", 3, true}}},
		{"outside of groups", FieldContentSignal, "decorum", []Extension{{"ai-train=no", 1, false}}},
		{"another agent's", FieldLicense, "decorum", nil},
		{"own", FieldLicense, "Other/1.0", []Extension{{"https://shop.example/rsl.xml", 10, true}}},
		{"no such field", "Noindex", "other", nil},
		{"a rule is no extension", "Disallow", "decorum", nil},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if diff := cmp.Diff(test.want, f.Extensions(test.field, test.agent)); diff != "" {
				t.Error(diff)
			}
		})
	}
	for _, agent := range []string{"a", "b"} {
		list := Parse([]byte("User-agent: a\nContent-Usage: train-ai=n\nUser-agent: b\nDisallow: /\n"))
		if got := list.Check(agent, "/"); got.Allowed {
			t.Errorf("agent %s: got %+v, want the rule: an extension ends no list", agent, got)
		}
	}
}
