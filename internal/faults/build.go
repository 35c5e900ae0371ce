package faults

import (
	"context"
	"embed"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
)

//go:embed testdata/*.go.txt
var wrappers embed.FS

// A Patch replaces text in a source file for one build.
type Patch struct {
	File     string // absolute, or relative to the source of the standard library
	Old, New string // Old must occur exactly once
}

// wrapped are the functions of the standard library that the wrappers replace.
var wrapped = map[string][]string{
	"syscall/zsyscall_linux_" + runtime.GOARCH + ".go": {
		"openat", "write", "pwrite", "read", "pread", "Fsync", "Fdatasync", "Ftruncate", "unlinkat", "Mkdirat", "Renameat",
	},
	"internal/syscall/unix/at.go": {"Openat", "Unlinkat", "Mkdirat", "Renameat"},
}

// added are new files of the standard library.
var added = map[string]string{
	"syscall/disturb_linux.go":               "testdata/syscall.go.txt",
	"internal/syscall/unix/disturb_linux.go": "testdata/unix.go.txt",
	"time/disturb_linux.go":                  "testdata/time.go.txt",
}

// patches are the other changes of the standard library. Copies of files inside
// the kernel are switched off, so that they are made of writes.
var patches = []Patch{
	{"time/time.go", "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n", "func Now() Time {\n\tsec, nsec, mono := runtimeNow()\n\tsec = jumped(sec, mono)\n"},
	{"internal/poll/copy_file_range_unix.go", "if !supportCopyFileRange() {", "if supportCopyFileRange() || true {"},
}

// Build compiles the main package in folder to out. The first build takes a
// minute, since it compiles the standard library too.
func Build(ctx context.Context, folder, out string, more ...Patch) error {
	root, err := exec.CommandContext(ctx, "go", "env", "GOROOT").Output()
	if err != nil {
		return fmt.Errorf("find the standard library: %w", err)
	}
	o := overlay{std: filepath.Join(strings.TrimSpace(string(root)), "src"), folder: out + ".overlay", Replace: map[string]string{}}
	if err := os.MkdirAll(o.folder, 0o700); err != nil {
		return err
	}
	if err := o.fill(more); err != nil {
		return err
	}
	list, err := json.Marshal(o)
	if err != nil {
		return err
	}
	name := filepath.Join(o.folder, "overlay.json")
	if err := os.WriteFile(name, list, 0o600); err != nil {
		return err
	}
	build := exec.CommandContext(ctx, "go", "build", "-overlay", name, "-o", out, ".")
	build.Dir = folder
	if said, err := build.CombinedOutput(); err != nil {
		return fmt.Errorf("build with faults: %w\n%s", err, said)
	}
	return nil
}

// overlay is the file that the go command reads.
type overlay struct {
	std, folder string
	sources     map[string]string // changed so far, by path

	Replace map[string]string
}

func (o *overlay) fill(more []Patch) error {
	o.sources = map[string]string{}
	for file, functions := range wrapped {
		for _, name := range functions {
			raw := "func raw" + strings.ToUpper(name[:1]) + name[1:] + "("
			if err := o.patch(Patch{file, "\nfunc " + name + "(", "\n" + raw}); err != nil {
				return err
			}
		}
	}
	for _, p := range append(patches, more...) {
		if err := o.patch(p); err != nil {
			return err
		}
	}
	for name, from := range added {
		text, err := wrappers.ReadFile(from)
		if err != nil {
			return err
		}
		o.sources[filepath.Join(o.std, name)] = string(text)
	}
	for name, text := range o.sources {
		to := filepath.Join(o.folder, strings.ReplaceAll(name, string(filepath.Separator), "_"))
		if err := os.WriteFile(to, []byte(text), 0o600); err != nil {
			return err
		}
		o.Replace[name] = to
	}
	return nil
}

// patch changes a source file, which may have been changed before.
func (o *overlay) patch(p Patch) error {
	name := p.File
	if !filepath.IsAbs(name) {
		name = filepath.Join(o.std, name)
	}
	text, ok := o.sources[name]
	if !ok {
		data, err := os.ReadFile(name)
		if err != nil {
			return fmt.Errorf("patch: %w", err)
		}
		text = string(data)
	}
	if n := strings.Count(text, p.Old); n != 1 {
		return fmt.Errorf("patch %s: it has %q %d times, not once: this version of Go needs another patch", name, p.Old, n)
	}
	o.sources[name] = strings.Replace(text, p.Old, p.New, 1)
	return nil
}
