package warc

// origin is where a payload stands.
type origin struct {
	id   string
	url  string
	date string
}

// digests remembers where payloads stand, at most twice as many as most: when
// the young are that many they become the old, and the old are forgotten.
type digests struct {
	most  int
	young map[string]origin
	old   map[string]origin
}

// find gives the place of a payload; one that is found is young again.
func (d *digests) find(digest string) (origin, bool) {
	if at, ok := d.young[digest]; ok {
		return at, true
	}
	at, ok := d.old[digest]
	if ok {
		d.add(digest, at)
	}
	return at, ok
}

func (d *digests) add(digest string, at origin) {
	if len(d.young) >= d.most {
		d.old, d.young = d.young, nil
	}
	if d.young == nil {
		d.young = map[string]origin{}
	}
	d.young[digest] = at
}
