package robots

import (
	"bytes"
	"fmt"
	"runtime"
	"strings"
	"testing"
)

// robotsOf makes a file of n rules in the mix that large sites write.
func robotsOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString("User-agent: *\n")
	for i := range n {
		switch {
		case i%20 == 7:
			fmt.Fprintf(&b, "Disallow: /shop/category-%d/*sort=\n", i)
		case i%10 == 3:
			fmt.Fprintf(&b, "Allow: /shop/category-%d/public/item\n", i-1)
		default:
			fmt.Fprintf(&b, "Disallow: /shop/category-%d/private-area-of-ours\n", i)
		}
	}
	return b.Bytes()
}

func BenchmarkParse(b *testing.B) {
	for _, n := range []int{60, 10_000} {
		body := robotsOf(n)
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			b.SetBytes(int64(len(body)))
			for b.Loop() {
				Parse(body)
			}
		})
	}
}

func BenchmarkCheck(b *testing.B) {
	for _, n := range []int{50, 10_000} {
		f := Parse(robotsOf(n))
		path := fmt.Sprintf("/shop/category-%d/private-area-of-ours/x.html?page=2", n-2)
		b.Run(fmt.Sprintf("rules=%d", n), func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				f.Check("decorum", path)
			}
		})
	}
}

func BenchmarkCheckManyStars(b *testing.B) {
	f := Parse([]byte("User-agent: *\nDisallow: /" + strings.Repeat("*a", 200) + "*b\n"))
	path := "/" + strings.Repeat("a", 2047)
	b.ReportAllocs()
	for b.Loop() {
		f.Check("decorum", path)
	}
}

// BenchmarkCheckLenient is about rules that also match other spellings.
func BenchmarkCheckLenient(b *testing.B) {
	f := Parse([]byte("User-agent: *\nDisallow: /*?*f[\nDisallow: /go?to=https://\nDisallow: /x%2\n"))
	b.ReportAllocs()
	for b.Loop() {
		f.Check("decorum", "/shop/lamps?page=2&sort=price&f%5B0%5D=red")
	}
}

// BenchmarkCheckLenientAtWorst has as many long lenient patterns as a file may.
func BenchmarkCheckLenientAtWorst(b *testing.B) {
	f := Parse([]byte("User-agent: *\n" + strings.Repeat("Disallow: /?*"+strings.Repeat("[", 1000)+"]\n", 500)))
	path := "/?" + strings.Repeat("[", 2046)
	for b.Loop() {
		f.Check("decorum", path)
	}
}

// TestMemoryOfAParsedFile holds a file and its index to twice the bytes.
func TestMemoryOfAParsedFile(t *testing.T) {
	body := robotsOf(10_000)
	const files = 20
	kept := make([]*File, files)
	before := heap()
	for i := range kept {
		kept[i] = Parse(body)
		kept[i].Check("decorum", "/x")
	}
	if each := (heap() - before) / files; each > uint64(2*len(body)) {
		t.Errorf("got %d bytes for a file of %d, want at most twice", each, len(body))
	}
	runtime.KeepAlive(kept)
}

func heap() uint64 {
	runtime.GC()
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	return m.HeapAlloc
}

// manyGroups makes a file with a group for each of n agents, each with one
// Content-Usage line.
func manyGroups(n int) []byte {
	var b bytes.Buffer
	for i := range n {
		fmt.Fprintf(&b, "User-agent: bot%d\nContent-Usage: train-ai=n\nDisallow: /%d\n", i, i)
	}
	b.WriteString("User-agent: *\nDisallow: /private\n")
	return b.Bytes()
}

// BenchmarkDocument measures what a command asks of a robots.txt for each URL.
func BenchmarkDocument(b *testing.B) {
	for name, body := range map[string][]byte{"rules": robotsOf(10_000), "groups": manyGroups(7_000)} {
		document := &Document{Status: 200, Body: body}
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			for b.Loop() {
				document.Check("decorum", "/shop/category-7/private-area-of-ours")
				document.File().Group("decorum").CrawlDelay()
				document.File().Training("/shop")
				document.File().Extensions(FieldContentUsage, "decorum")
			}
		})
	}
}

// TestLookupsOfAParsedFileDoNotAllocate is about what is asked for each URL: it
// must not depend on the number of lines.
func TestLookupsOfAParsedFileDoNotAllocate(t *testing.T) {
	document := &Document{Status: 200, Body: append(manyGroups(5_000), "Disallow: /*?f[\nDisallow: /*%a\n"...)}
	lookups := func() {
		document.Check("bot7", "/7")
		document.Check("other", "/7?f%5B0%5D")
		document.Check("other", "/7%A0")
		document.File().Group("bot7").CrawlDelay()
		document.File().Training("/7")
		document.File().Extensions(FieldContentUsage, "bot7")
	}
	lookups()
	if allocated := testing.AllocsPerRun(100, lookups); allocated > 0 {
		t.Errorf("got %v allocations for the lookups of one URL, want none", allocated)
	}
}
