package main

import (
	"encoding/json"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/internal/testsite"
	"github.com/decorum-crawler/decorum/sitemap"
)

// crawledSite crawls a site that has a page of each kind.
func crawledSite(t *testing.T) (folder, origin string) {
	t.Helper()
	web := testsite.New()
	t.Cleanup(web.Close)
	site := web.Site("shop")
	site.Robots("User-agent: *\nDisallow: /private\n")
	links := ""
	for _, path := range []string{"/maps/dated", "/maps/future", "/maps/itself", "/maps/a?x=1&amp;y=[2]", "/other", "/meta", "/header", "/moved", "/gone", "/feed", "/private"} {
		links += `<a href="` + path + `">x</a>`
	}
	site.Page("/", "<!doctype html><title>T</title>"+links)
	site.Page("/maps/dated", "<!doctype html>", "Last-Modified: Sun, 06 Nov 1994 08:49:37 GMT")
	site.Page("/maps/future", "<!doctype html>", "Last-Modified: Sun, 06 Nov 2094 08:49:37 GMT")
	site.Page("/maps/itself", `<!doctype html><link rel="canonical" href="BASE/maps/itself#top">`)
	site.Page("/maps/a?x=1&y=[2]", "<!doctype html>")
	site.Page("/other", `<!doctype html><link rel="canonical" href="/">`)
	site.Page("/meta", `<!doctype html><meta name="robots" content="noindex">`)
	site.Page("/header", "<!doctype html>", "X-Robots-Tag: noindex")
	site.Redirect("/moved", "/", 301)
	site.Sitemap("/feed", "/")
	folder = filepath.Join(t.TempDir(), "crawl")
	if code, _, errs := invoke("crawl", "-o", folder, "--delay", "0", "--progress", "none", "--discover", "links", site.URL()); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	return folder, site.URL()
}

func TestSitemapGenerate(t *testing.T) {
	folder, origin := crawledSite(t)
	tests := []struct {
		name string
		args []string
		want generationLine
		locs string
	}{
		{
			"whole site", nil,
			generationLine{
				Schema: "decorum.generation/1", Index: origin + "/sitemap.xml", Listed: 5,
				LeftOut: map[string]int{"canonical-elsewhere": 1, "noindex": 2, "redirected": 1, "status-not-200": 1, "content-type": 1},
				Files:   []madeFile{{Name: "sitemap-1.xml", URL: origin + "/sitemap-1.xml", Entries: 5}},
			},
			"/ /maps/a?x=1&y=%5B2%5D /maps/dated@1994-11-06T08:49:37Z /maps/future /maps/itself",
		},
		{
			"a folder, compressed",
			[]string{"--gzip", "--base", origin + "/maps"},
			generationLine{
				Schema: "decorum.generation/1", Index: origin + "/maps/sitemap.xml", Listed: 4,
				LeftOut: map[string]int{"canonical-elsewhere": 1, "noindex": 2, "redirected": 1, "status-not-200": 1, "content-type": 1, "above-folder": 1},
				Files:   []madeFile{{Name: "sitemap-1.xml.gz", URL: origin + "/maps/sitemap-1.xml.gz", Entries: 4}},
			},
			"/maps/a?x=1&y=%5B2%5D /maps/dated@1994-11-06T08:49:37Z /maps/future /maps/itself",
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			output := filepath.Join(t.TempDir(), "new", "public")
			code, out, errs := invoke(append([]string{"sitemap", "generate", folder, "-o", output, "--json"}, test.args...)...)
			if code != exitOK || errs != "" {
				t.Fatalf("got %d, %q", code, errs)
			}
			var got generationLine
			if err := json.Unmarshal([]byte(out), &got); err != nil {
				t.Fatal(err)
			}
			for i := range got.Files {
				if got.Files[i].Bytes < 100 {
					t.Errorf("got %+v, want its size", got.Files[i])
				}
				got.Files[i].Bytes = 0
			}
			if diff := cmp.Diff(got, test.want); diff != "" {
				t.Errorf("got -, want +:\n%s", diff)
			}
			names := []string{"sitemap.xml", got.Files[0].Name}
			if diff := cmp.Diff(listing(t, output), []string{got.Files[0].Name, "sitemap.xml"}); diff != "" {
				t.Errorf("files: got -, want +:\n%s", diff)
			}
			for i, address := range []string{got.Index, got.Files[0].URL} {
				file := filepath.Join(output, names[i])
				if code, out, errs := invoke("sitemap", "validate", file, "--base", address); code != exitOK {
					t.Errorf("%s: got %d, %q, %q, want valid", names[i], code, out, errs)
				}
			}
			if locs := entriesOf(t, filepath.Join(output, names[1]), origin); locs != test.locs {
				t.Errorf("got %s, want %s", locs, test.locs)
			}
		})
	}
}

func listing(t *testing.T, folder string) (names []string) {
	t.Helper()
	entries, err := os.ReadDir(folder)
	if err != nil {
		t.Fatal(err)
	}
	for _, entry := range entries {
		names = append(names, entry.Name())
	}
	return names
}

// entriesOf gives paths and dates of a file.
func entriesOf(t *testing.T, name, origin string) string {
	t.Helper()
	file, err := os.Open(name)
	if err != nil {
		t.Fatal(err)
	}
	defer file.Close()
	var list []string
	for entry, err := range sitemap.NewReader(file, nil, sitemap.Options{}).Entries() {
		if err != nil {
			t.Fatal(err)
		}
		text := strings.TrimPrefix(entry.Loc, origin)
		if !entry.LastMod.IsZero() {
			text += "@" + entry.LastMod.Format(time.RFC3339)
		}
		list = append(list, text)
	}
	slices.Sort(list)
	return strings.Join(list, " ")
}

func TestSitemapGenerateAgreesWithTheSchema(t *testing.T) {
	xmllint, err := exec.LookPath("xmllint")
	need(t, err, "xmllint, of libxml2-utils")
	folder, _ := crawledSite(t)
	output := t.TempDir()
	if code, _, errs := invoke("sitemap", "generate", folder, "-o", output); code != exitOK {
		t.Fatalf("got %d, %q", code, errs)
	}
	for _, name := range listing(t, output) {
		command := exec.CommandContext(t.Context(), xmllint, "--noout", "--nonet", "--schema", "../../sitemap/generate/testdata/protocol.xsd", filepath.Join(output, name))
		if out, err := command.CombinedOutput(); err != nil {
			t.Errorf("%s: %v: %s", name, err, out)
		}
	}
}

func TestSitemapGenerateReplacesOnlyByWholeFiles(t *testing.T) {
	folder, _ := crawledSite(t)
	output := t.TempDir()
	for _, name := range []string{"sitemap.xml", "sitemap-2.xml", "robots.txt"} {
		if err := os.WriteFile(filepath.Join(output, name), []byte("old"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	code, _, errs := invoke("sitemap", "generate", folder, "-o", output, "--base", "https://elsewhere.example/", "-v")
	if code != exitNothing || !strings.Contains(errs, "may be listed: 5 other-host, 2 noindex") || !strings.Contains(errs, "/other (canonical-elsewhere)") {
		t.Errorf("got %d, %q", code, errs)
	}
	if diff := cmp.Diff(listing(t, output), []string{"robots.txt", "sitemap-2.xml", "sitemap.xml"}); diff != "" {
		t.Errorf("after nothing was made: got -, want +:\n%s", diff)
	}
	code, out, errs := invoke("sitemap", "generate", folder, "-o", output)
	if code != exitOK || !strings.Contains(out, "sitemap.xml: 5 URLs in 1 file\nleft out: 2 noindex, 1 canonical-elsewhere, 1 content-type, 1 redirected, 1 status-not-200\nnext: ") ||
		!strings.Contains(errs, "sitemap-2.xml is not listed in the index") {
		t.Errorf("got %d, %q, %q", code, out, errs)
	}
	if diff := cmp.Diff(listing(t, output), []string{"robots.txt", "sitemap-1.xml", "sitemap-2.xml", "sitemap.xml"}); diff != "" {
		t.Errorf("got -, want +:\n%s", diff)
	}
	if data, err := os.ReadFile(filepath.Join(output, "sitemap.xml")); err != nil || !strings.HasPrefix(string(data), "<?xml") {
		t.Errorf("got %.40q, %v, want the new index", data, err)
	}
}
