package content

import (
	"github.com/gogs/chardet"
	"golang.org/x/text/encoding"
)

const (
	detected = 64 << 10 // bytes that are examined
	certain  = 10       // least confidence, out of 100
)

// detect guesses the encoding of a body that declares none and is not UTF-8.
func detect(body []byte) (encoding.Encoding, string, bool) {
	guesses, err := chardet.NewHtmlDetector().DetectAll(body[:min(len(body), detected)])
	if err != nil {
		return nil, "", false
	}
	for _, guess := range guesses {
		if guess.Confidence < certain {
			break
		}
		if from, name, ok := lookup(guess.Charset); ok && from != nil {
			return from, name, true
		}
	}
	return nil, "", false
}
