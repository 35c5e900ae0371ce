package format

import (
	"io"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/audit/page"
)

// htmlPage writes one file for a browser.
type htmlPage struct {
	kept

	w       io.Writer
	version string
}

func newHTML(w io.Writer, version string) Writer { return &htmlPage{w: w, version: version} }

func (h *htmlPage) End(r *audit.Report) error {
	p := page.Page{Version: h.version, Verdict: Verdict(r), Report: r, Findings: h.findings}
	if h.more > 0 {
		p.LeftOut = h.leftOut()
	}
	return p.Write(h.w)
}
