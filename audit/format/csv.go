package format

import (
	"encoding/csv"
	"io"
	"strconv"
	"strings"

	"github.com/decorum-crawler/decorum/audit"
	"github.com/decorum-crawler/decorum/internal/escape"
)

// csvRows writes one row per finding. The report, which does not fit a row, is
// left out.
type csvRows struct {
	out   *csv.Writer
	begun bool
}

func newCSV(w io.Writer, _ string) Writer { return &csvRows{out: csv.NewWriter(w)} }

func (c *csvRows) Finding(f audit.Finding) error {
	if err := c.head(); err != nil {
		return err
	}
	return c.row(string(f.Code), string(f.Severity), f.URL, f.Agent, f.Rule, number(f.Line), f.RobotsURL, f.Sitemap, number(f.SitemapLine), f.Message)
}

func (c *csvRows) End(*audit.Report) error {
	if err := c.head(); err != nil {
		return err
	}
	c.out.Flush()
	return c.out.Error()
}

func (c *csvRows) head() error {
	if c.begun {
		return nil
	}
	c.begun = true
	return c.row("code", "severity", "url", "agent", "rule", "line", "robots_url", "sitemap", "sitemap_line", "message")
}

func (c *csvRows) row(cells ...string) error {
	for i, cell := range cells {
		cells[i] = harmless(escape.Text(cell))
	}
	return c.out.Write(cells)
}

// harmless prevents a spreadsheet from reading a cell as a formula.
func harmless(cell string) string {
	if cell != "" && strings.ContainsRune("=+-@\t\r", rune(cell[0])) {
		return "'" + cell
	}
	return cell
}

func number(n int) string {
	if n == 0 {
		return ""
	}
	return strconv.Itoa(n)
}
