package warc

// original is a capture whose payload is stored.
type original struct {
	id   string
	url  string
	date string
}

// digests remembers captures by the digest of their payload, at most 2 x limit:
// when there are limit young ones, they replace the old ones.
type digests struct {
	limit int
	young map[string]original
	old   map[string]original
}

// find returns the capture of a payload and makes it young.
func (d *digests) find(digest string) (original, bool) {
	if known, ok := d.young[digest]; ok {
		return known, true
	}
	known, ok := d.old[digest]
	if ok {
		d.add(digest, known)
	}
	return known, ok
}

func (d *digests) add(digest string, known original) {
	if len(d.young) >= d.limit {
		d.old, d.young = d.young, nil
	}
	if d.young == nil {
		d.young = map[string]original{}
	}
	d.young[digest] = known
}
