package crawler

import (
	"bytes"
	"hash/maphash"
	"regexp"
	"strings"
	"sync"

	"github.com/decorum-crawler/decorum/frontier"
)

const (
	// sessionProofs is how often two URLs that differ in a session id must have
	// had the same content before such ids of a host are known for what they are.
	sessionProofs = 3
	// maxSessionPages bounds the memory, about 100 bytes a page. Beyond it known
	// session ids are a trap wherever they occur.
	maxSessionPages = 200_000
	// maxSessionIDs is the number of ids of one body that are left out of the
	// comparison.
	maxSessionIDs = 16
)

// sessionID matches a session id in a URL: its name, and its value. A name alone
// proves nothing, for "sid" may number stories as well.
var sessionID = regexp.MustCompile(`(?i)[;?&](?:amp;)?(jsessionid|phpsessid|aspsessionid[a-z]*|sessionid|session_id|sessid|sid|oscsid|zenid|cfid|cftoken)=([A-Za-z0-9._~!*%-]+)`)

// sessions finds out which hosts put session ids into URLs. A site that does so
// for a client without cookies has no end: each page has new URLs of the same
// pages. sessions is safe for concurrent use.
type sessions struct {
	seed maphash.Seed

	mu     sync.Mutex
	proofs map[string]int           // by host
	pages  map[uint64]*sessionPages // by URL without session ids
}

// sessionPages are the URLs that differ in session ids only.
type sessionPages struct {
	url     uint64 // of the first one offered
	content uint64 // of the first one fetched; 0: none
}

func newSessions() *sessions {
	return &sessions{seed: maphash.MakeSeed(), proofs: map[string]int{}, pages: map[uint64]*sessionPages{}}
}

// repeats reports whether a URL is that of a known page with another session id.
// The first URL of a page is not.
func (s *sessions) repeats(canonical string) bool {
	plain, ok := withoutSession(canonical)
	if !ok {
		return false
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	known := s.proofs[frontier.HostOf(canonical)] >= sessionProofs
	url := maphash.String(s.seed, canonical)
	page := s.page(plain, url)
	return known && (page == nil || page.url != url)
}

// fetched compares the content of a URL with that of others that differ in their
// session ids.
func (s *sessions) fetched(canonical string, body []byte) {
	plain, ok := withoutSession(canonical)
	if !ok {
		return
	}
	content := maphash.Bytes(s.seed, withoutIDs(body)) | 1
	s.mu.Lock()
	defer s.mu.Unlock()
	page := s.page(plain, maphash.String(s.seed, canonical))
	switch {
	case page == nil:
	case page.content == 0:
		page.content = content
	case page.content == content:
		s.proofs[frontier.HostOf(canonical)]++
	}
}

// page returns what is known of a page, which may be that this is its first URL;
// nil when there is no room.
func (s *sessions) page(plain string, url uint64) *sessionPages {
	key := maphash.String(s.seed, plain)
	page, ok := s.pages[key]
	if !ok && len(s.pages) < maxSessionPages {
		page = &sessionPages{url: url}
		s.pages[key] = page
	}
	return page
}

// withoutSession returns a URL without its session ids; false when it has none.
func withoutSession(canonical string) (string, bool) {
	if strings.IndexByte(canonical, '=') < 0 { // as most URLs, at a hundredth of the cost
		return "", false
	}
	if !sessionID.MatchString(canonical) {
		return "", false
	}
	return sessionID.ReplaceAllString(canonical, ""), true
}

// withoutIDs returns a page without the session ids that its links have,
// wherever they occur.
func withoutIDs(body []byte) []byte {
	seen := map[string]bool{}
	for _, found := range sessionID.FindAllSubmatch(body, -1) {
		if id := string(found[2]); len(id) >= 4 && !seen[id] && len(seen) < maxSessionIDs {
			seen[id] = true
			body = bytes.ReplaceAll(body, found[2], nil)
		}
	}
	return body
}
