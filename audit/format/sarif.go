package format

import (
	"io"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/sarif"
)

// sarifLog writes findings at their line of robots.txt, or else of the
// sitemap.
type sarifLog struct {
	kept

	w       io.Writer
	version string
}

func newSARIF(w io.Writer, version string) Writer { return &sarifLog{w: w, version: version} }

func (s *sarifLog) End(*audit.Report) error {
	results := make([]sarif.Result, 0, len(s.findings)+1)
	for _, f := range s.findings {
		results = append(results, result(f))
	}
	if s.more > 0 {
		results = append(results, sarif.Result{
			Rule: "more", Level: "note", Message: s.leftOut(), URI: "robots.txt",
		})
	}
	return sarif.Write(s.w, s.version, results)
}

func result(f audit.Finding) sarif.Result {
	level := string(f.Severity)
	if f.Severity == audit.SeverityInfo {
		level = "note"
	}
	r := sarif.Result{Rule: string(f.Code), Level: level, Message: f.Message, URI: f.RobotsURL, Line: f.Line}
	if f.URL != "" {
		r.Message = f.URL + ": " + f.Message
	}
	if f.Line == 0 && f.Sitemap != "" {
		r.URI, r.Line = f.Sitemap, f.SitemapLine
	}
	if r.URI == "" {
		r.URI = f.URL
	}
	return r
}
