package main

import (
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
)

// TestPipesAndDevicesAsFiles names what is no file wherever a file is read or
// written: nothing waits for ever, nothing is replaced.
func TestPipesAndDevicesAsFiles(t *testing.T) {
	temp := t.TempDir()
	pipe, link, held := filepath.Join(temp, "pipe"), filepath.Join(temp, "link"), filepath.Join(temp, "held")
	if err := os.Mkdir(held, 0o700); err != nil {
		t.Fatal(err)
	}
	for _, name := range []string{pipe, filepath.Join(held, "config.yaml")} {
		if err := syscall.Mkfifo(name, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	rules, victim := filepath.Join(temp, "robots.txt"), filepath.Join(temp, "victim")
	for name, text := range map[string]string{rules: "User-agent: *\nDisallow:\n", victim: "precious"} {
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Symlink(victim, link); err != nil {
		t.Fatal(err)
	}
	const site = "http://127.0.0.1:1/"
	audit := []string{"audit", site, "--robots", rules, "--sitemap", rules, "-o"}
	for _, test := range []struct {
		code int
		args []string
	}{
		{exitUsage, []string{"crawl", site, "--config", pipe}},
		{exitUsage, []string{"crawl", site, "--config", "/dev/zero"}},
		{exitUsage, []string{"crawl", "--seeds", pipe}},
		{exitIO, []string{"crawl", "--seeds", "/dev/zero"}},
		{exitUsage, []string{"corpus", "build", site, "-o", filepath.Join(temp, "corpus"), "--overrides", pipe}},
		{exitIO, []string{"corpus", "build", "--from-warc", pipe, "-o", filepath.Join(temp, "corpus")}},
		{exitDirectory, []string{"resume", held}},
		{exitDirectory, []string{"crawl", "-o", held, site}},
		{exitFindings, []string{"sitemap", "list", pipe}},
		{exitFindings, []string{"sitemap", "validate", pipe}},
		{exitIO, []string{"robots", "lint", pipe}},
		{exitIO, []string{"audit", site, "--baseline", pipe}},
		{exitIO, append(audit, pipe)},
		{exitIO, append(audit, link)},
		{exitIO, append(audit, held)},
		{exitIO, append(audit, filepath.Join(rules, "below"))},
		{exitIO, []string{"crawl", "-o", filepath.Join(rules, "below"), site}},
		{exitIO, []string{"crawl", "-o", pipe, site}},
	} {
		if code, _, errs := invoke(test.args...); code != test.code || !strings.Contains(errs, "decorum: error: ") && code != exitFindings {
			t.Errorf("%q: got %d, %q, want %d", test.args, code, errs, test.code)
		}
	}
	if info, err := os.Lstat(pipe); err != nil || info.Mode()&os.ModeNamedPipe == 0 {
		t.Errorf("got %v, %v, want the pipe in its place", info, err)
	}
	if text, err := os.ReadFile(victim); err != nil || string(text) != "precious" {
		t.Errorf("got %q, %v at the end of the link", text, err)
	}
}
