package invariant_test

import (
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/decorum-crawler/decorum/configs"
	"github.com/decorum-crawler/decorum/crawler/crawldir"
	"github.com/decorum-crawler/decorum/internal/invariant"
	"github.com/decorum-crawler/decorum/internal/testsite"
)

// TestViolations breaks each invariant.
func TestViolations(t *testing.T) {
	for _, test := range []struct {
		name  string
		crawl func(t *testing.T) invariant.Crawl
		want  string // beginning of the one violation; none if empty
	}{
		{"nothing", func(*testing.T) invariant.Crawl { return invariant.Crawl{} }, ""},
		{"allowed", asked("/robots.txt", "/a"), ""},
		{"forbidden", asked("/robots.txt", "/private"), "I1 "},
		{"without robots.txt", asked("/a"), "I1 "},
		{"too soon", func(t *testing.T) invariant.Crawl {
			t.Helper()
			crawl := asked("/robots.txt", "/a")(t)
			crawl.Delay = time.Hour
			return crawl
		}, "I2 "},
		{"as it should be", whole, ""},
		{"two states", func(t *testing.T) invariant.Crawl {
			t.Helper()
			crawl := whole(t)
			crawl.Finished = false
			for _, name := range []string{crawldir.PagesName, crawldir.SkippedName} {
				write(t, filepath.Join(crawl.Dir, name), `{"url":"https://a.example/"}`+"\n")
			}
			return crawl
		}, "I3 "},
		{"a torn line", func(t *testing.T) invariant.Crawl {
			t.Helper()
			crawl := whole(t)
			crawl.Finished = false
			write(t, filepath.Join(crawl.Dir, crawldir.PagesName), `{"url":"https://a.example/"`)
			return crawl
		}, "I3 "},
		{"bytes that no commit knows", func(t *testing.T) invariant.Crawl {
			t.Helper()
			crawl := whole(t)
			write(t, filepath.Join(crawl.Dir, crawldir.PagesName), `{"url":"https://a.example/"}`+"\n")
			return crawl
		}, "I4 "},
		{"an odd exit code", func(*testing.T) invariant.Crawl { return ended(invariant.Process{Code: 2}) }, "I5 "},
		{"killed by the test", func(*testing.T) invariant.Crawl { return ended(invariant.Process{Code: -1, Killed: time.Now()}) }, ""},
		{"killed by something else", func(*testing.T) invariant.Crawl { return ended(invariant.Process{Code: -1}) }, "I5 "},
		{"an escape sequence", func(*testing.T) invariant.Crawl { return ended(invariant.Process{Output: []byte("a\x1b[2Jb\n")}) }, "I6 "},
		{"a bidi override", func(*testing.T) invariant.Crawl { return ended(invariant.Process{Output: []byte("a\u202eb\n")}) }, "I6 "},
		{"text", func(*testing.T) invariant.Crawl { return ended(invariant.Process{Output: []byte("a\tö\n")}) }, ""},
		{"memory", func(*testing.T) invariant.Crawl {
			crawl := ended(invariant.Process{RSS: 2})
			crawl.MaxRSS = 1
			return crawl
		}, "I7 "},
		{"files", func(*testing.T) invariant.Crawl {
			crawl := ended(invariant.Process{FDs: 2})
			crawl.MaxFDs = 1
			return crawl
		}, "I7 "},
		{"disk", func(t *testing.T) invariant.Crawl {
			t.Helper()
			crawl := whole(t)
			crawl.MaxDisk = 1
			return crawl
		}, "I7 "},
	} {
		t.Run(test.name, func(t *testing.T) {
			got := test.crawl(t).Violations()
			if test.want == "" && len(got) > 0 || test.want != "" && len(got) == 0 {
				t.Fatalf("got %q, want %q", got, test.want)
			}
			for _, violation := range got {
				if !strings.HasPrefix(violation, test.want) {
					t.Errorf("got %q, want only %s", violation, test.want)
				}
			}
		})
	}
}

// asked returns a crawl that sent those requests one after the other.
func asked(paths ...string) func(t *testing.T) invariant.Crawl {
	return func(t *testing.T) invariant.Crawl {
		t.Helper()
		web := testsite.New()
		t.Cleanup(web.Close)
		site := web.Site("a")
		site.Robots("User-agent: *\nDisallow: /private\n")
		for _, path := range paths {
			response, err := http.Get(site.URL() + path) //nolint:forbidigo // what the checks are to find
			if err != nil {
				t.Fatal(err)
			}
			response.Body.Close()
		}
		return invariant.Crawl{Web: web}
	}
}

// whole returns a crawl that has ended without a page.
func whole(t *testing.T) invariant.Crawl {
	t.Helper()
	folder := filepath.Join(t.TempDir(), "crawl")
	dir, err := crawldir.Create(folder, configs.Default(), crawldir.Options{})
	if err != nil {
		t.Fatal(err)
	}
	if err := dir.Close(); err != nil {
		t.Fatal(err)
	}
	return invariant.Crawl{Dir: folder, Finished: true}
}

func ended(p invariant.Process) invariant.Crawl {
	return invariant.Crawl{Processes: []invariant.Process{p}}
}

func write(t *testing.T, name, text string) {
	t.Helper()
	if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}
