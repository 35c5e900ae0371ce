package main

import (
	"os"
	"path/filepath"
	"testing"
)

// A directory in which a process was killed while it wrote the settings can be
// crawled into; a foreign file of that name keeps its directory refused.
func TestDraftOfSettings(t *testing.T) {
	for data, ours := range map[string]bool{"": true, configHead[:9]: true, configHead + "delay: 1s\n": true, "mine": false} {
		folder := t.TempDir()
		if err := os.WriteFile(filepath.Join(folder, ".config.yaml.new"), []byte(data), 0o600); err != nil {
			t.Fatal(err)
		}
		if holds, err := holdsCrawl(folder); holds || (err == nil) != ours {
			t.Errorf("%q: got %v, %v, want ours %v", data, holds, err, ours)
		}
	}
}
