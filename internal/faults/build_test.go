package faults_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/internal/faults"
)

const victim = `package main

import (
	"fmt"
	"os"
	"time"
)

func main() {
	dir := os.Args[1]
	err := os.WriteFile(dir+"/a", []byte("hello"), 0o600)
	fmt.Println(err)
	fmt.Println(os.WriteFile(dir+"/b", nil, 0o600))
	fmt.Println(os.Rename(dir+"/b", dir+"/c"))
	fmt.Println(time.Now().UTC().Year())
}
`

// TestBuild builds a small program and has its calls fail.
func TestBuild(t *testing.T) {
	source := t.TempDir()
	for name, text := range map[string]string{"main.go": victim, "go.mod": "module victim\n\ngo 1.25\n"} {
		if err := os.WriteFile(filepath.Join(source, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	program := filepath.Join(t.TempDir(), "victim")
	if err := faults.Build(t.Context(), source, program); err != nil {
		t.Fatal(err)
	}
	year := time.Now().UTC().Format("2006")
	for _, test := range []struct {
		name  string
		plan  faults.Plan
		calls string // kinds, and ! behind those that failed
		said  []string
		file  string // contents of a
	}{
		{"nothing", faults.Plan{}, "owown", []string{"<nil>", "<nil>", "<nil>", year}, "hello"},
		{"a write fails", faults.Plan{At: 2, How: faults.Once, Errno: syscall.EIO}, "ow!own", []string{"input/output error", "<nil>", "<nil>", year}, ""},
		{"a full disk", faults.Plan{At: 2, How: faults.Every, Errno: syscall.ENOSPC}, "oww!o!n!", []string{"no space left", "no space left", "no space left", year}, "he"},
		{"death", faults.Plan{At: 3, How: faults.Kill}, "ow", []string{"<nil>"}, "hello"},
		{"a clock", faults.Plan{Jump: -10 * 366 * 24 * time.Hour}, "owown", []string{"<nil>", "<nil>", "<nil>", time.Now().UTC().Add(-10 * 366 * 24 * time.Hour).Format("2006")}, "hello"},
	} {
		t.Run(test.name, func(t *testing.T) {
			base, err := filepath.EvalSymlinks(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			test.plan.Dir, test.plan.Log = base, filepath.Join(t.TempDir(), "log")
			command := exec.CommandContext(t.Context(), program, base)
			command.Env = append(os.Environ(), test.plan.Env()...)
			out, err := command.Output()
			if died := command.ProcessState.ExitCode() < 0; died != (test.plan.How == faults.Kill) {
				t.Errorf("got %v", err)
			}
			calls, err := faults.ReadLog(test.plan.Log)
			if err != nil {
				t.Fatal(err)
			}
			var kinds strings.Builder
			for _, c := range calls {
				kinds.WriteByte(byte(c.Kind))
				if c.Failed {
					kinds.WriteByte('!')
				}
			}
			if kinds.String() != test.calls {
				t.Errorf("got the calls %s, want %s", &kinds, test.calls)
			}
			lines := strings.Fields(strings.ReplaceAll(strings.ReplaceAll(string(out), " ", "_"), "\n", " "))
			if len(lines) != len(test.said) {
				t.Fatalf("got %q, want %q", lines, test.said)
			}
			for i, want := range test.said {
				if !strings.Contains(strings.ReplaceAll(lines[i], "_", " "), want) {
					t.Errorf("line %d: got %q, want %q", i+1, lines[i], want)
				}
			}
			if got, _ := os.ReadFile(filepath.Join(base, "a")); string(got) != test.file {
				t.Errorf("got %q in the file, want %q", got, test.file)
			}
		})
	}
}
