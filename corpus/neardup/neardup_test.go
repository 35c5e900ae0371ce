package neardup_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/decorum-crawler/decorum/corpus/neardup"
)

// words returns n words by chance.
func words(r *rand.Rand, n int) []string {
	all := make([]string, n)
	for i := range all {
		all[i] = fmt.Sprintf("w%d", r.IntN(5000))
	}
	return all
}

func TestClusters(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	a, b := words(r, 400), words(r, 400)
	changed := append([]string{}, a...)
	changed[200] = "another"
	var f neardup.Finder
	for _, text := range []string{
		strings.Join(a, " "), strings.Join(b, " "), strings.Join(changed, " "), strings.ToUpper(strings.Join(a, ",\n")),
		"", "***", "too few words", "Too few, words.", strings.Join(b[:380], " "), strings.Join(words(r, 400), " "),
		strings.Repeat("朝になると船が港に入り、夕方になると出ていく。", 3), strings.Repeat("朝になると船が港に入り、夕方になると出ていく。", 3) + "終",
	} {
		f.Add(text)
	}
	want := []int32{0, 1, 0, 0, 4, 5, 6, 6, 1, 9, 10, 10}
	if diff := cmp.Diff(want, f.Clusters()); diff != "" {
		t.Errorf("-want +got:\n%s", diff)
	}
	var none neardup.Finder
	if got := none.Clusters(); len(got) != 0 {
		t.Errorf("got %v of nothing", got)
	}
}

// As many pairs are found as the package comment says.
func TestHowManyAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for _, test := range []struct{ shared, least, most float64 }{
		{0.9, 0.97, 1}, {0.8, 0.85, 0.97}, {0.5, 0, 0.12},
	} {
		found, pairs := 0, 300
		for range pairs {
			// Two texts that share s of 2n-s sequences, at one stretch.
			n := 600
			s := int(2 * float64(n) * test.shared / (1 + test.shared))
			common := words(r, s+4)
			var f neardup.Finder
			f.Add(strings.Join(append(slices.Clip(common), words(r, n-s)...), " "))
			f.Add(strings.Join(append(slices.Clip(common), words(r, n-s)...), " "))
			if f.Clusters()[1] == 0 {
				found++
			}
		}
		if got := float64(found) / float64(pairs); got < test.least || got > test.most {
			t.Errorf("sharing %v: got %v found", test.shared, got)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	text := strings.Join(words(rand.New(rand.NewPCG(5, 6)), 500), " ")
	b.SetBytes(int64(len(text)))
	for b.Loop() {
		var f neardup.Finder
		f.Add(text)
	}
}
