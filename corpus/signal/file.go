package signal

import (
	"sync"

	"github.com/decorum-crawler/decorum/robots"
)

// A File is what a known place of a site answered. It is parsed once, when a page
// is first judged by it, so it must not be changed or copied after that. It is
// safe for concurrent use. A nil File is one that was never requested.
type File struct {
	Status int    // 0: no answer
	Body   []byte // decoded

	robots parsed[*robots.File]
	tdmrep parsed[tdmFile]
	rsl    parsed[rslFile]
}

func (f *File) found() bool { return f != nil && f.Status/100 == 2 }

// parsed is what a body was parsed to, at the first call of get.
type parsed[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (p *parsed[T]) get(body []byte, parse func([]byte) (T, error)) (T, error) {
	p.once.Do(func() { p.value, p.err = parse(body) })
	return p.value, p.err
}
