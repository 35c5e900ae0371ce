package main

import (
	"bytes"
	"os"
	"os/exec"
	"path/filepath"
	"testing"
)

// TestBuildIsReproducible builds the program twice, in two places: the binaries are
// the same.
func TestBuildIsReproducible(t *testing.T) {
	if testing.Short() {
		t.Skip("builds the program twice")
	}
	var builds [2][]byte
	for i := range builds {
		name := filepath.Join(t.TempDir(), "decorum")
		build := exec.CommandContext(t.Context(), "go", "build", "-trimpath", "-buildvcs=false", "-o", name, ".")
		if out, err := build.CombinedOutput(); err != nil {
			t.Fatalf("%v: %s", err, out)
		}
		var err error
		if builds[i], err = os.ReadFile(name); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(builds[0], builds[1]) {
		t.Error("got two different binaries of one source")
	}
}
