package text

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"
	"testing/synctest"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/crawler/content"
)

// reasonOf returns the reason of an error, or "" when it has none.
func reasonOf(err error) Reason {
	if fault, ok := errors.AsType[*Error](err); ok {
		return fault.Reason
	}
	return ""
}

// closing returns a pool and checks that it closes in time.
func closing(t *testing.T, options Options) *Pool {
	t.Helper()
	p := NewPool(options)
	t.Cleanup(func() {
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
	return p
}

const sentence = "The harbour master writes down every ship that enters, with its flag and its cargo. "

func article(body string) []byte {
	return []byte("<!doctype html><html lang=en><title>Harbour</title><body><nav><a href=/>Home</a></nav><article>" + body + "</article>")
}

func TestExtractReason(t *testing.T) {
	long := "<p>" + strings.Repeat(sentence, 8) + "</p>"
	tests := []struct {
		name string
		page Page
		want Reason
	}{
		{"a page", Page{ContentType: "text/html", Body: article(long)}, ""},
		{"XHTML", Page{ContentType: "application/xhtml+xml; charset=utf-8", Body: article(long)}, ""},
		{"broken parameter", Page{ContentType: "text/html; charset", Body: article(long)}, ""},
		{"no type", Page{Body: article(long)}, ""},
		{"stray NUL", Page{ContentType: "text/html", Body: article("<p>\x00" + strings.Repeat(sentence, 8))}, ""},
		{"nothing", Page{ContentType: "text/html"}, ReasonEmpty},
		{"no text", Page{ContentType: "text/html", Body: []byte("<p>… <b>·</b></p>")}, ReasonEmpty},
		{"white text", Page{ContentType: "text/plain", Body: []byte(" \r\n ")}, ReasonEmpty},
		{"image", Page{ContentType: "image/png", Body: []byte("\x89PNG\r\n\x1a\n")}, ReasonNotText},
		{"untyped image", Page{Body: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")}, ReasonNotText},
		{"image that says text", Page{ContentType: "text/html", Body: []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR")}, ReasonNotText},
		{"noise that says plain", Page{ContentType: "text/plain", Body: noise(4096)}, ReasonNotText},
		{"Latin-1 that says UTF-8", Page{ContentType: "text/html; charset=utf-8", Body: article("<p>" + strings.Repeat("Gr\xfc\xdfe aus K\xf6ln. ", 40))}, ReasonCharset},
		{"a charset banned from the web", Page{ContentType: "text/html; charset=iso-2022-kr", Body: article(long)}, ReasonCharset},
		{"large", Page{ContentType: "text/html", Body: bytes.Repeat([]byte("a"), 1<<20+1)}, ReasonTooLarge},
		{"large once decoded", Page{ContentType: "text/plain; charset=latin1", Body: bytes.Repeat([]byte("\xe9"), 600<<10)}, ReasonTooLarge},
		{"many nodes", Page{ContentType: "text/html", Body: article(strings.Repeat("<p>x", 30_000))}, ReasonTooManyNodes},
		{"deep", Page{ContentType: "text/html", Body: article(strings.Repeat("<div>", 450) + long)}, ReasonTooDeep},
		{"deeper than the parser goes", Page{ContentType: "text/html", Body: article(strings.Repeat("<div>", 5000) + long)}, ReasonTooDeep},
	}
	p := closing(t, Options{MaxBytes: 1 << 20})
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.page.URL = "https://example.org/"
			_, err := p.Extract(t.Context(), test.page)
			if got := reasonOf(err); got != test.want || (got == "") != (err == nil) {
				t.Errorf("got %q (%v), want %q", got, err, test.want)
			}
		})
	}
}

// noise returns bytes that repeat every run.
func noise(n int) []byte {
	b, state := make([]byte, n), uint32(1)
	for i := range b {
		state = state*1664525 + 1013904223
		b[i] = byte(state >> 24)
	}
	return b
}

func TestExtractPlainText(t *testing.T) {
	p := closing(t, Options{})
	got, err := p.Extract(t.Context(), Page{ContentType: "text/plain; charset=windows-1252", Body: []byte("\r\n  Caf\xe9\r\nund\x00 so <b>weiter</b>\rEnde\n\n")})
	if err != nil {
		t.Fatal(err)
	}
	if want := "Café\nund so <b>weiter</b>\nEnde"; got.Text != want {
		t.Errorf("got %q, want %q", got.Text, want)
	}
	if got.Extractor != "none" || got.Charset.Name != "windows-1252" || got.Charset.Source != "header" {
		t.Errorf("got extractor %q, charset %v", got.Extractor, got.Charset)
	}
}

func TestExtractFields(t *testing.T) {
	p := closing(t, Options{})
	body := `<!doctype html><html lang="en-GB"><head><title>Salt for the quay | Harbour Post</title>
<meta property="og:title" content="Salt for  the quay"><meta name="author" content="Ada Marsh">
<meta property="og:site_name" content="Harbour Post"><meta property="article:published_time" content="2025-11-03T08:00:00Z">
</head><body><article><h1>Salt for the quay</h1><p>` + strings.Repeat(sentence, 5) + `</p><ul><li>one <b>ship</b>, two masts<li>no cargo</ul>
<table><tr><th>Flag<th>Ships<tr><td>Red<td>4</table><p>Water is H<sub>2</sub>O.<br>Salt is not.</p></article></body></html>`
	got, err := p.Extract(t.Context(), Page{URL: "https://example.org/salt", ContentType: "text/html", Body: []byte(body)})
	if err != nil {
		t.Fatal(err)
	}
	want := Result{
		Text: "Salt for the quay\n\n" + strings.TrimSpace(strings.Repeat(sentence, 5)) +
			"\n\n- one ship, two masts\n- no cargo\n\nFlag\tShips\nRed\t4\n\nWater is H₂O.\nSalt is not.",
		Title: "Salt for the quay", Author: "Ada Marsh", Sitename: "Harbour Post", Date: "2025-11-03",
		Format: Plain, Language: "en", Score: got.Score, Declared: "en-GB", Languages: []Run{{"en", got.Score, 1, 12}},
		Charset: got.Charset, Extractor: extractor, SHA256: content.SHA256([]byte(normal(got.Text))), Simhash: simhashOf(normal(got.Text)),
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	if got.Score < 0.5 {
		t.Errorf("got score %v for English, want at least 0.5", got.Score)
	}
}

// The version in each document is the one in go.mod.
func TestExtractorVersion(t *testing.T) {
	mod, err := os.ReadFile("../../go.mod")
	if err != nil {
		t.Fatal(err)
	}
	_, library, _ := strings.Cut(extractor, " ")
	name, version, _ := strings.Cut(library, "/")
	if want := "github.com/markusmobius/" + name + " " + version + "\n"; !strings.Contains(string(mod), want) {
		t.Errorf("go.mod has no %q", want)
	}
}

func TestExtractPanic(t *testing.T) {
	p := closing(t, Options{})
	p.read = func(context.Context, Page) (Result, error) { panic("index out of range") }
	for range 5 {
		if _, err := p.Extract(t.Context(), Page{}); reasonOf(err) != ReasonPanic {
			t.Fatalf("got %v, want reason panic", err)
		}
	}
}

// A page that loops takes until its deadline. The pool replaces MaxLate workers,
// then uses the rest, and then returns ErrStuck.
func TestExtractLoop(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Options{Workers: 2, MaxLate: 3, Deadline: time.Second})
		wake := make(chan struct{})
		p.read = func(_ context.Context, page Page) (Result, error) {
			if page.URL == "loop" {
				<-wake
			}
			return Result{}, nil
		}
		for i := range 5 {
			if _, err := p.Extract(t.Context(), Page{URL: "ordinary"}); err != nil {
				t.Fatalf("after %d loops: %v", i, err)
			}
			began := time.Now()
			if _, err := p.Extract(t.Context(), Page{URL: "loop"}); reasonOf(err) != ReasonDeadline {
				t.Fatalf("got %v, want reason deadline", err)
			}
			if waited := time.Since(began); waited != time.Second {
				t.Errorf("waited %s, want 1s", waited)
			}
		}
		if _, err := p.Extract(t.Context(), Page{URL: "ordinary"}); !errors.Is(err, ErrStuck) {
			t.Errorf("got %v, want stuck", err)
		}
		if err := p.Close(); !errors.Is(err, ErrStuck) {
			t.Errorf("got %v from Close, want stuck", err)
		}
		close(wake)
		if err := p.Close(); err != nil || p.Late() != 0 {
			t.Errorf("got %v and %d late, want all ended", err, p.Late())
		}
	})
}

// A worker that finishes late is used again.
func TestExtractLateWorkerReturns(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Options{Workers: 1, MaxLate: 1, Deadline: time.Second})
		p.read = func(context.Context, Page) (Result, error) {
			time.Sleep(1500 * time.Millisecond) //nolint:forbidigo // in a bubble
			return Result{}, nil
		}
		for range 20 {
			if _, err := p.Extract(t.Context(), Page{}); reasonOf(err) != ReasonDeadline {
				t.Fatalf("got %v, want reason deadline", err)
			}
		}
		if err := p.Close(); err != nil {
			t.Error(err)
		}
	})
}

func TestExtractCancelled(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p := NewPool(Options{Workers: 1})
		wake := make(chan struct{})
		p.read = func(context.Context, Page) (Result, error) { <-wake; return Result{}, nil }
		ctx, cancel := context.WithCancel(t.Context())
		answers := make(chan error, 2)
		for range 2 { // one runs, one waits for the worker
			go func() { _, err := p.Extract(ctx, Page{URL: "x"}); answers <- err }()
		}
		synctest.Wait()
		cancel()
		for range 2 {
			if err := <-answers; !errors.Is(err, context.Canceled) || reasonOf(err) != "" {
				t.Errorf("got %v, want canceled", err)
			}
		}
		close(wake)
		if err := p.Close(); err != nil {
			t.Error(err)
		}
		if _, err := p.Extract(t.Context(), Page{}); !errors.Is(err, ErrClosed) {
			t.Errorf("got %v, want closed", err)
		}
	})
}

func TestLanguage(t *testing.T) {
	turkish := strings.Repeat("Limana giren her gemi bayrağı ve yüküyle birlikte deftere yazılır. ", 4)
	tests := []struct{ declared, text, kept, found string }{
		{"", turkish, "", "tr"},
		{"tr", turkish, "tr", "tr"},
		{"TR_tr", turkish, "tr-TR", "tr"},
		{"en", turkish, "en", "tr"}, // the template's language
		{"klingon!", turkish, "", "tr"},
		{"nb", "Havnefogden skriver ned hvert skip som kommer inn, med flagg og last. Om kvelden er det stille i havnen.", "nb", "no"},
		{"zh-Hans", "港口主任记录每一艘进港的船只，包括船旗和货物。", "zh-Hans", "zh"},
		{"", "12345 67890", "", ""},
	}
	for _, test := range tests {
		t.Run(fmt.Sprint(test.declared, "/", test.found), func(t *testing.T) {
			r := Result{Text: test.text}
			r.language(test.declared)
			if r.Declared != test.kept || r.Language != test.found || (r.Score > 0) != (test.found != "") {
				t.Errorf("got %q, %q, %v, want %q, %q", r.Declared, r.Language, r.Score, test.kept, test.found)
			}
		})
	}
}

// The libraries have global tables, so the results for many pages at once are
// compared with those for one at a time.
func TestExtractConcurrently(t *testing.T) {
	p := closing(t, Options{Workers: 4})
	pages := knownPages(t)
	want := map[string]Result{}
	for _, known := range pages {
		r, err := p.Extract(t.Context(), known.page)
		if err != nil {
			t.Fatal(err)
		}
		want[known.name] = r
	}
	var wg sync.WaitGroup
	for worker := range 8 {
		wg.Go(func() {
			for i := range pages {
				known := pages[(i+worker*4)%len(pages)]
				r, err := p.Extract(t.Context(), known.page)
				if diff := cmp.Diff(want[known.name], r); err != nil || diff != "" {
					t.Errorf("%s: %v, -want +got:\n%s", known.name, err, diff)
				}
			}
		})
	}
	wg.Wait()
}

func TestExtractOfATitleAloneIsEmpty(t *testing.T) {
	p := NewPool(Options{Workers: 1})
	defer p.Close()
	_, err := p.Extract(t.Context(), Page{ContentType: "text/html", Body: []byte("<title>nothing</title><script>var words</script>")})
	if fault, ok := errors.AsType[*Error](err); !ok || fault.Reason != ReasonEmpty {
		t.Errorf("got %v, want an empty page", err)
	}
}
