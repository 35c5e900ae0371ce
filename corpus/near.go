package corpus

import (
	"github.com/decorum-crawler/decorum/corpus/neardup"
	"github.com/decorum-crawler/decorum/storage/jsonl"
)

// NearMethod is the only value of [Publication.Near] but "".
const NearMethod = neardup.Method

// nearness finds near duplicates among documents that are added in order.
type nearness struct {
	finder neardup.Finder
	ids    []string
}

func (n *nearness) add(d Document) {
	n.finder.Add(d.Text)
	n.ids = append(n.ids, d.ID)
}

// firsts returns the ID of the first document of its cluster for each document that
// is not the first one, and the number of clusters of more than one.
func (n *nearness) firsts() (of map[string]string, clusters int64) {
	of = map[string]string{}
	counted := map[int32]bool{}
	for i, first := range n.finder.Clusters() {
		if int(first) == i {
			continue
		}
		of[n.ids[i]] = n.ids[first]
		counted[first] = true
	}
	return of, int64(len(counted))
}

// nearDuplicates finds the near duplicates among the documents of the shards.
func (b *publisher) nearDuplicates() error {
	if b.p.Near == "" {
		return nil
	}
	var n nearness
	for d, err := range jsonl.Rows[Document](b.root, JournalName) {
		if err != nil {
			return err
		}
		if b.removed[d.ID] {
			continue
		}
		if later, ok := b.later[d.ID]; ok && !later.keeps() {
			continue
		}
		n.add(d)
	}
	b.near, b.manifest.Counts.NearClusters = n.firsts()
	return nil
}
