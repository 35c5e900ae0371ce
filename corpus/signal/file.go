package signal

import (
	"sync"

	"github.com/decorum-crawler/decorum/robots"
)

// A File is the response for a file at a well-known place of a site. It is parsed
// once, when a page is first judged by it, and must not be changed or copied after
// that. It is safe for concurrent use. A nil File was never requested.
type File struct {
	Status int    // 0: no response
	Body   []byte // decoded

	robots parsed[*robots.File]
	tdmrep parsed[tdmFile]
	rsl    parsed[rslFile]
}

func (f *File) found() bool { return f != nil && f.Status/100 == 2 }

// parsed holds the result of parsing a body, at the first call of get.
type parsed[T any] struct {
	once  sync.Once
	value T
	err   error
}

func (p *parsed[T]) get(body []byte, parse func([]byte) (T, error)) (T, error) {
	p.once.Do(func() { p.value, p.err = parse(body) })
	return p.value, p.err
}
