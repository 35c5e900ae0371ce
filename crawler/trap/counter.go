package trap

// maxCounters is the number of patterns in each of two generations, 40 bytes each.
const maxCounters = 50_000

// counter counts the pages of a pattern.
type counter struct {
	pages  uint32 // that were read
	fresh  uint32 // with new text
	stale  uint32 // without
	passed bool   // it is closed
}

// counters are those of the patterns seen last.
type counters struct {
	newest, before map[uint64]counter
}

func (c *counters) get(key uint64) counter {
	if n, ok := c.newest[key]; ok {
		return n
	}
	return c.before[key]
}

func (c *counters) set(key uint64, n counter) {
	if len(c.newest) >= maxCounters {
		c.before, c.newest = c.newest, nil
	}
	if c.newest == nil {
		c.newest = map[uint64]counter{}
	}
	c.newest[key] = n
}
