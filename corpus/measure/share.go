package measure

import (
	"math"
	"strconv"
	"strings"
)

// Share is a number from 0 to 1.
type Share float64

// MarshalJSON always writes a fraction, "0.0" for 0: a reader that sees "0"
// first infers a column of integers.
func (s Share) MarshalJSON() ([]byte, error) {
	text := strconv.FormatFloat(float64(s), 'f', -1, 64)
	if !strings.Contains(text, ".") {
		text += ".0"
	}
	return []byte(text), nil
}

// ShareOf returns part of all to four places; 0 of nothing.
func ShareOf(part, all int) Share {
	if all == 0 {
		return 0
	}
	return Round(float64(part) / float64(all))
}

// Round returns a number to four places.
func Round(x float64) Share { return Share(math.Round(x*1e4) / 1e4) }
