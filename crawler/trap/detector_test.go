package trap

import (
	"fmt"
	"runtime"
	"sync"
	"testing"
)

// fetch tells a detector of a page with one run of text.
func fetch(d *Detector, address, text string) []Closing {
	p := d.Read(address)
	if p.Open() {
		p.Text([]byte(text))
	}
	return p.End()
}

// run fetches pages until a pattern is closed, and returns how many that took; 0:
// none was closed within most.
func run(d *Detector, most int, page func(i int) (address, text string)) (pages int, closed []Closing) {
	for i := range most {
		address, text := page(i)
		if closed = fetch(d, address, text); len(closed) > 0 {
			return i + 1, closed
		}
	}
	return 0, nil
}

func TestBudget(t *testing.T) {
	same := func(i int) (string, string) { return fmt.Sprintf("https://a.example/p/%d", i), "the same text" }
	for budget, want := range map[int]int{0: 50 + 1 + DefaultBudget + credit + 1, 20: 20 + 1 + 20 + credit + 1, 1000: 50 + 1 + 1000 + credit + 1} {
		d := New(budget)
		got, closed := run(d, 5000, same)
		if got != want || closed[0].Pattern != "a.example/p/#" || closed[0].Pages != int64(want) || closed[0].Fresh != 1 {
			t.Errorf("budget %d: got %d pages, %+v, want %d", budget, got, closed, want)
		}
		if pattern := d.Closed("https://a.example/p/99999"); pattern != "a.example/p/#" {
			t.Errorf("got %q closed, want the pattern", pattern)
		}
		for _, open := range []string{"https://a.example/p/oak", "https://a.example/q/1", "https://b.example/p/1"} {
			if pattern := d.Closed(open); pattern != "" {
				t.Errorf("got %s closed by %q, want it open", open, pattern)
			}
		}
	}
}

func TestNewTextKeepsAPatternOpen(t *testing.T) {
	words := [...]string{"oak", "ash", "elm", "fir", "yew", "box", "bay", "fig"}
	got, closed := run(New(0), 40_000, func(i int) (string, string) {
		text := ""
		for n := i; n > 0; n /= len(words) {
			text += words[n%len(words)] + " "
		}
		return fmt.Sprintf("https://a.example/p/%d", i), text
	})
	if got != 0 {
		t.Errorf("got %+v after %d pages, want it open", closed, got)
	}
}

// TestEchoIsNoNews has pages that repeat what was searched for.
func TestEchoIsNoNews(t *testing.T) {
	got, closed := run(New(0), 5000, func(i int) (string, string) {
		word := fmt.Sprintf("%c%c%coak", 'a'+i%26, 'a'+i/26%26, 'a'+i/676)
		return "https://a.example/s?q=" + word, "No results for " + word
	})
	if got == 0 || got > 300 || closed[0].Fresh != 0 {
		t.Errorf("got %d pages, %+v, want it closed soon", got, closed)
	}
}

func TestFamilyCloses(t *testing.T) {
	d := New(0)
	for i := range 60 { // a pattern that thrives
		fetch(d, fmt.Sprintf("https://a.example/s/?page=%d", i), fmt.Sprintf("%c%ctext", 'a'+i%26, 'a'+i/26))
		fetch(d, fmt.Sprintf("https://a.example/s/?page=%d", i+100), fmt.Sprintf("%c%cmore", 'a'+i%26, 'a'+i/26))
	}
	got, closed := run(d, 9000, func(i int) (string, string) {
		return fmt.Sprintf("https://a.example/s/?%c%c%c=1", 'a'+i%26, 'a'+i/26%26, 'a'+i/676), "the same text"
	})
	if got == 0 || closed[0].Pattern != "a.example/s/*?*" {
		t.Fatalf("got %d pages, %+v, want the family closed", got, closed)
	}
	if pattern := d.Closed("https://a.example/s/?zzzz=1"); pattern != "a.example/s/*?*" {
		t.Errorf("got %q, want the family closed for a new pattern", pattern)
	}
	if pattern := d.Closed("https://a.example/s/?page=7"); pattern != "" {
		t.Errorf("got %q closed, want the pattern with new text kept open", pattern)
	}
}

func TestCloseOfAnEarlierRun(t *testing.T) {
	d := New(0)
	d.Close("a.example/cal?month=")
	if got := d.Closed("https://a.example/cal?month=7"); got != "a.example/cal?month=" {
		t.Errorf("got %q", got)
	}
}

// TestMemoryIsBounded fetches pages of a million patterns with new text.
func TestMemoryIsBounded(t *testing.T) {
	d := New(1)
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	pages := 1_000_000
	if testing.Short() {
		pages = 100_000
	}
	for i := range pages {
		fetch(d, fmt.Sprintf("https://a.example/%c%c%c%c/%d", 'a'+i%26, 'a'+i/26%26, 'a'+i/676%26, 'a'+i/17576%26, i), fmt.Sprintf("text %x", i))
	}
	if used := int64(heap()) - int64(before); used > 24<<20 {
		t.Errorf("got %d MiB, want less than 24", used>>20)
	}
	runtime.KeepAlive(d)
}

func TestMemoryForgetsTheOldOnly(t *testing.T) {
	var m memory
	const keys = 3_000_000
	wrong := 0
	for i := range uint64(keys) {
		if !m.add(mix(i)) {
			wrong++
		}
		if m.add(mix(i)) {
			t.Fatalf("key %d was forgotten at once", i)
		}
	}
	if wrong > keys/30 {
		t.Errorf("got %d of %d keys taken for known, want one in thirty at most", wrong, keys)
	}
}

func TestDetectorIsSafeForConcurrentUse(t *testing.T) {
	d := New(10)
	var workers sync.WaitGroup
	for worker := range 4 {
		workers.Go(func() {
			for i := range 3000 {
				address := fmt.Sprintf("https://a.example/p/%d", i)
				if d.Closed(address) == "" {
					fetch(d, address, fmt.Sprintf("text %c", 'a'+worker))
				}
			}
		})
	}
	workers.Wait()
	if d.Closed("https://a.example/p/1") == "" {
		t.Error("got the pattern open, want it closed")
	}
}

var content = []byte("<p>A field of barley stands behind our old barn, where sheep and hens walk slowly between stone walls")

// BenchmarkPage reads a page with the texts of eighty links and then new ones.
func BenchmarkPage(b *testing.B) {
	d := New(0)
	menu := make([][]byte, 80)
	for i := range menu {
		menu[i] = fmt.Appendf(nil, "Menu entry %c%c", 'a'+i%26, 'a'+i/26)
	}
	n := 0
	text := append([]byte(nil), content...)
	b.ReportAllocs()
	for b.Loop() {
		n++
		p := d.Read(fmt.Sprintf("https://a.example/product/%d", n))
		for _, entry := range menu {
			if p.Open() {
				p.Text(entry)
			}
		}
		for i := range 10 {
			copy(text[3:], []byte{'a' + byte(n%26), 'a' + byte(n/26%26), 'a' + byte(n/676%26), 'a' + byte(n/17576%26), 'a' + byte(i)})
			if p.Open() {
				p.Text(text)
			}
		}
		p.End()
	}
}

// BenchmarkClosed asks for a link, of a host without a trap and of one with.
func BenchmarkClosed(b *testing.B) {
	for name, closed := range map[string]string{"none": "", "other host": "b.example/*", "same host": "a.example/cal?month="} {
		b.Run(name, func(b *testing.B) {
			d := New(0)
			if closed != "" {
				d.Close(closed)
			}
			b.ReportAllocs()
			for b.Loop() {
				d.Closed("https://a.example/shop/list?color=red&page=12&size=10")
			}
		})
	}
}
