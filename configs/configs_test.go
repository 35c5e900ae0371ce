package configs

import (
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestReferenceIsTheDefault(t *testing.T) {
	var got Config
	if err := Load("default.yaml", Reference, &got); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(got, Default()); diff != "" {
		t.Errorf("default.yaml (-) and Default (+) differ:\n%s", diff)
	}
	for _, key := range Keys() {
		if !strings.Contains(string(Reference), "\n"+key+": ") {
			t.Errorf("key %s is not in default.yaml", key)
		}
	}
	if err := Default().Validate(); err != nil {
		t.Errorf("the default does not hold: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	tests := []struct {
		name, text string
		line       int
		message    string
		hint       string
	}{
		{"unknown key", "delay: 2s\nmax-dealy: 3s\n", 2, `unknown key "max-dealy"`, `did you mean "max-delay"?`},
		{"nothing near", "zebra: 1\n", 1, `unknown key "zebra"`, ""},
		{"removed key", "color: auto\n", 1, `unknown key "color"`, ""},
		{"no unit", "delay: 2\n", 1, "has no unit", ""},
		{"no YAML", "delay: [\n", 1, "", ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			c := Default()
			fault, ok := errors.AsType[*FileError](Load("x.yaml", []byte(test.text), &c))
			if !ok {
				t.Fatal("got no FileError")
			}
			if fault.Line != test.line || !strings.Contains(fault.Message, test.message) || fault.Hint != test.hint {
				t.Errorf("got %+v, want line %d, %q, %q", fault, test.line, test.message, test.hint)
			}
		})
	}
}

func TestLoadMerges(t *testing.T) {
	c := Default()
	if err := Load("x.yaml", []byte("# nothing\n"), &c); err != nil {
		t.Fatal(err)
	}
	if err := Load("x.yaml", []byte("\ufeffworkers: 4\nmax-bytes: 2GiB\n"), &c); err != nil {
		t.Fatal(err)
	}
	env := map[string]string{"DECORUM_DELAY": "3s", "DECORUM_EXCLUDE": "a{1,2}", "DECORUM_OWN": "a,b"}
	if err := ApplyEnv(func(name string) string { return env[name] }, &c); err != nil {
		t.Fatal(err)
	}
	if c.Workers != 4 || c.MaxBytes != 2<<30 || c.Delay != Duration(3e9) || len(c.Exclude) != 1 || len(c.Own) != 2 || c.Scope != "host" {
		t.Errorf("got %+v", c)
	}
	data, err := Encode(c)
	if err != nil {
		t.Fatal(err)
	}
	var again Config
	if err := Load("x.yaml", data, &again); err != nil || !cmp.Equal(again, c) {
		t.Errorf("got %v, difference %s", err, cmp.Diff(again, c))
	}
}

func TestValidateReportsAllAtOnce(t *testing.T) {
	c := Default()
	c.AgentToken, c.Contact, c.Scope, c.Workers, c.AllowNet = "a b", "x\r\nY: z", "planet", 0, []string{"home"}
	err := c.Validate()
	for _, key := range []string{"agent-token:", "contact:", "scope:", "workers:", "allow-net:"} {
		if err == nil || !strings.Contains(err.Error(), key) {
			t.Errorf("got %v, want a fault of %s", err, key)
		}
	}
}

func FuzzUnits(f *testing.F) {
	f.Add("10MiB")
	f.Add("1m30s")
	f.Fuzz(func(t *testing.T, text string) {
		if s, err := ParseSize(text); err == nil {
			if again, err := ParseSize(s.String()); err != nil || again != s {
				t.Fatalf("size %q: got %v, then %v, %v", text, s, again, err)
			}
		}
		if d, err := ParseDuration(text); err == nil {
			if again, err := ParseDuration(d.String()); err != nil || again != d {
				t.Fatalf("duration %q: got %v, then %v, %v", text, d, again, err)
			}
		}
	})
}
