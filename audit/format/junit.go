package format

import (
	"encoding/xml"
	"fmt"
	"io"
	"strings"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
)

// junit writes a suite for each agent, with a case for each URL that is
// blocked for it or one that passes, and a suite for all other findings.
type junit struct {
	kept

	w io.Writer
}

func newJUnit(w io.Writer, _ string) Writer { return &junit{w: w} }

type (
	testSuites struct {
		XMLName  xml.Name    `xml:"testsuites"`
		Name     string      `xml:"name,attr"`
		Tests    int         `xml:"tests,attr"`
		Failures int         `xml:"failures,attr"`
		Suites   []testSuite `xml:"testsuite"`
	}
	testSuite struct {
		Name      string     `xml:"name,attr"`
		Tests     int        `xml:"tests,attr"`
		Failures  int        `xml:"failures,attr"`
		Errors    int        `xml:"errors,attr"`
		Skipped   int        `xml:"skipped,attr"`
		Timestamp string     `xml:"timestamp,attr"`
		Cases     []testCase `xml:"testcase"`
	}
	testCase struct {
		Class   string  `xml:"classname,attr"`
		Name    string  `xml:"name,attr"`
		Failure *reason `xml:"failure"`
		Skipped *reason `xml:"skipped"`
	}
	reason struct {
		Message string `xml:"message,attr"`
		Type    string `xml:"type,attr,omitempty"`
		Text    string `xml:",chardata"`
	}
)

func (j *junit) End(r *audit.Report) error {
	all := testSuites{Name: "decorum audit"}
	for _, agent := range r.Agents {
		suite := testSuite{Name: "robots.txt for " + clean(agent.Agent)}
		for _, f := range j.findings {
			if f.Code == audit.CodeBlockedForAll || f.Code == audit.CodeBlocked && f.Agent == agent.Agent {
				suite.add(f)
			}
		}
		switch {
		case len(suite.Cases) == 0 && j.moreErrors > 0 && agent.Blocked > 0:
			suite.add(audit.Finding{Code: audit.CodeBlocked, Severity: audit.SeverityError, URL: "more", Message: j.leftOut()})
		case len(suite.Cases) == 0:
			suite.pass(fmt.Sprintf("%d of %d URLs of the sitemaps are allowed", agent.Allowed, agent.Allowed+agent.Blocked))
		}
		all.add(suite, r)
	}
	others := testSuite{Name: "sitemaps"}
	for _, f := range j.findings {
		if !f.Blocks() {
			others.add(f)
		}
	}
	if j.more > 0 {
		others.skip("more", j.leftOut())
	}
	if len(others.Cases) == 0 {
		others.pass("nothing found")
	}
	all.add(others, r)
	data, err := xml.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(j.w, "%s%s\n", xml.Header, escape.XML(data))
	return err
}

func (s *testSuites) add(suite testSuite, r *audit.Report) {
	suite.Timestamp = r.FinishedAt.Format("2006-01-02T15:04:05")
	suite.Tests = len(suite.Cases)
	s.Tests += suite.Tests
	s.Failures += suite.Failures
	s.Suites = append(s.Suites, suite)
}

// add adds an error as a failure and any other finding as a skipped case.
func (s *testSuite) add(f audit.Finding) {
	name := f.URL
	if name == "" {
		name = f.Sitemap
	}
	if name == "" {
		name = f.RobotsURL
	}
	if f.Severity != audit.SeverityError {
		s.Cases = append(s.Cases, testCase{Class: string(f.Code), Name: clean(name), Skipped: &reason{Message: clean(f.Message)}})
		s.Skipped++
		return
	}
	s.Cases = append(s.Cases, testCase{Class: string(f.Code), Name: clean(name), Failure: &reason{
		Message: clean(f.Message), Type: string(f.Code), Text: clean(places(f)),
	}})
	s.Failures++
}

func (s *testSuite) pass(name string) {
	s.Cases = append(s.Cases, testCase{Class: "audit", Name: name})
}

func (s *testSuite) skip(code, message string) {
	s.Cases = append(s.Cases, testCase{Class: code, Name: message, Skipped: &reason{Message: message}})
	s.Skipped++
}

// places returns the lines that a finding refers to.
func places(f audit.Finding) string {
	var lines []string
	if f.RobotsURL != "" {
		lines = append(lines, fmt.Sprintf("%s:%d: %s", f.RobotsURL, f.Line, f.Rule))
	}
	if f.Sitemap != "" {
		lines = append(lines, fmt.Sprintf("%s:%d", f.Sitemap, f.SitemapLine))
	}
	return strings.Join(lines, "\n")
}

// clean replaces characters that XML forbids.
func clean(s string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == '\t' || r == '\n' || r == '\r':
			return r
		case r < 0x20, r >= 0xd800 && r < 0xe000, r == 0xfffe, r == 0xffff:
			return '\ufffd'
		}
		return r
	}, s)
}
