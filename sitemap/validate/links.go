package validate

import (
	"slices"

	"github.com/decorum-crawler/decorum/sitemap"
)

// maxLinks bounds the links that wait for one in return. Beyond it, none are
// checked, for those that are not kept would be missed.
const maxLinks = 200_000

// returnLinks are the links of pages to their alternates that have none in return
// yet. Those of one page are usually close together, so few wait.
type returnLinks struct {
	waiting map[uint64][]waitingLink // by the hash of the alternate
	count   int
	off     bool // there were too many
}

// A waitingLink is the page of a link.
type waitingLink struct {
	page uint64
	loc  string
}

// missingLinks returns what is missing between a page that is listed for the first
// time and those before it: if one page names another as its alternate, the other
// must name it in return.
func (v *Validator) missingLinks(entry sitemap.Entry) (messages []string) {
	w := &v.links
	page := v.hash(entry.Loc)
	if w.off || len(entry.Alternates) == 0 && len(w.waiting[page]) == 0 {
		return nil
	}
	if w.waiting == nil {
		w.waiting = map[uint64][]waitingLink{}
	}
	done := map[uint64]bool{page: true}
	for _, a := range entry.Alternates {
		other := v.hash(a.Href)
		if done[other] {
			continue
		}
		done[other] = true
		_, listed := v.seen[other]
		switch {
		case w.take(page, other):
		case listed:
			messages = append(messages, "the alternate "+a.Href+" is listed before, without a link in return")
		default:
			w.waiting[other] = append(w.waiting[other], waitingLink{page, entry.Loc})
			w.count++
		}
	}
	for _, link := range w.waiting[page] {
		messages = append(messages, "an alternate of "+link.loc+", without a link in return")
	}
	w.count -= len(w.waiting[page])
	delete(w.waiting, page)
	if w.count > maxLinks {
		*w = returnLinks{off: true}
	}
	return messages
}

// take removes the link from one page to another, and reports whether there is one.
func (w *returnLinks) take(to, from uint64) bool {
	links := w.waiting[to]
	at := slices.IndexFunc(links, func(l waitingLink) bool { return l.page == from })
	if at < 0 {
		return false
	}
	w.waiting[to] = slices.Delete(links, at, at+1)
	w.count--
	return true
}
