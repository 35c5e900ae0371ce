package corpus

const (
	excludedSchema = "decorum.excluded/1"
	failedSchema   = "decorum.failed/1"
)

// Excluded is a decorum.excluded/1 object: a page that is not in the corpus
// because it or its site opted out, or that is on hold until their terms can be
// read.
type Excluded struct {
	Schema     string  `json:"schema"`
	ID         string  `json:"id"`
	URL        string  `json:"url"`
	Reason     string  `json:"reason"` // "excluded" or "hold"
	Basis      string  `json:"basis"`
	Policy     string  `json:"policy"`
	Status     int     `json:"status"`      // 0: never requested
	BytesSaved int64   `json:"bytes_saved"` // not downloaded, as far as the header tells
	Signals    Signals `json:"signals"`
}

// Failed is a decorum.failed/1 object: a page without a text.
type Failed struct {
	Schema string `json:"schema"`
	ID     string `json:"id"`
	URL    string `json:"url"`
	Reason string `json:"reason"` // one of corpus/text, or the error of the page's record
}
