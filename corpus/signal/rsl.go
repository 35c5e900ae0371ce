package signal

import (
	"bytes"
	"encoding/xml"
	"net/url"
	"slices"
	"strings"

	"github.com/decorum-crawler/decorum/robots"
)

// rslFile is a Really Simple Licensing 1.0 document: contents with the licenses
// under which each may be used.
type rslFile struct {
	XMLName  xml.Name     `xml:"rsl"`
	Contents []rslContent `xml:"content"`
}

type rslContent struct {
	URL      string       `xml:"url,attr"`
	Server   string       `xml:"server,attr"`
	Licenses []rslLicense `xml:"license"`

	path string // the pattern in URL
}

type rslLicense struct {
	Permits   []rslUses    `xml:"permits"`
	Prohibits []rslUses    `xml:"prohibits"`
	Payment   []rslPayment `xml:"payment"`
}

type rslUses struct {
	Type string `xml:"type,attr"`
	List string `xml:",chardata"`
}

type rslPayment struct {
	Type string `xml:"type,attr"`
}

func parseRSL(body []byte) (rslFile, error) {
	var f rslFile
	decoder := xml.NewDecoder(bytes.NewReader(body))
	decoder.Strict = false
	if err := decoder.Decode(&f); err != nil {
		return rslFile{}, err
	}
	for i := range f.Contents {
		f.Contents[i].path = locationPath(f.Contents[i].URL)
	}
	return f, nil
}

// maxLicenses bounds the licenses of a page. So many are never requested, so some
// of them are unread and the page is on hold unless another one excludes it.
const maxLicenses = 256

// LicenseURLs returns the absolute URLs of the licenses that a page and its site
// refer to, each once and at most 256. They are the keys of [Site].Licenses.
func LicenseURLs(agent string, p Page, s Site) []string {
	base, err := url.Parse(p.URL)
	if err != nil {
		return nil
	}
	var found []string
	add := func(href string) {
		to, err := base.Parse(href)
		if err != nil || to.Scheme != "http" && to.Scheme != "https" {
			return
		}
		if to.Fragment = ""; !slices.Contains(found, to.String()) {
			found = append(found, to.String())
		}
	}
	for _, href := range p.Licenses[:min(len(p.Licenses), maxLicenses)] {
		add(href)
	}
	for _, line := range s.Robots.File().Extensions(robots.FieldLicense, agent) {
		if len(found) >= maxLicenses {
			break
		}
		add(line.Value)
	}
	return found
}

// rsl reads the licenses; the strictest applies. A license that cannot be read
// has unknown terms, so a policy must put the page on hold.
func (r *evaluator) rsl() Signal {
	best := silent(NameRSL, "absent")
	addresses := LicenseURLs(r.agent, r.page, r.site)
	if len(addresses) == 0 {
		return best
	}
	lines := make(map[string]int, len(addresses)) // of robots.txt; 0: the page names it
	for _, address := range addresses {
		lines[address] = 0
	}
	for _, l := range r.file.Extensions(robots.FieldLicense, r.agent) {
		if _, ok := lines[l.Value]; ok {
			lines[l.Value] = l.Line
		}
	}
	for _, address := range addresses {
		best = stricterLicense(best, r.license(address, lines[address]))
	}
	return best
}

// stricterLicense is like stricter, but an unreadable license comes before one in
// favor.
func stricterLicense(a, b Signal) Signal {
	switch {
	case a.Value == against || b.Value == against:
		return stricter(a, b)
	case a.Basis == basisUnreadable:
		return a
	case b.Basis == basisUnreadable:
		return b
	}
	return stricter(a, b)
}

// license reads one license. line is its line in robots.txt, or 0 when the page
// refers to it.
func (r *evaluator) license(address string, line int) Signal {
	where := "html"
	if line > 0 {
		where = "robots"
	}
	found := Signal{Signal: NameRSL, Value: none, Basis: basisUnreadable, Where: where, Line: line, Raw: cut(address)}
	file := r.site.Licenses[address]
	if !file.found() {
		return found
	}
	terms, err := file.rsl.get(file.Body, parseRSL)
	if err != nil {
		return found
	}
	content, ok := r.content(terms)
	if !ok {
		found.Basis = "no content matches"
		return found
	}
	found.Value, found.Basis = content.training()
	return found
}

// content returns the content with the longest URL that matches the page.
func (r *evaluator) content(f rslFile) (rslContent, bool) {
	best, length := rslContent{}, -1
	for _, c := range f.Contents {
		octets, ok := robots.MatchPattern(c.path, r.target)
		if ok && octets > length {
			best, length = c, octets
		}
	}
	return best, length >= 0
}

// training returns the preference on training by someone who has no license from
// a server and pays nothing. The licenses of a content are alternatives.
func (c rslContent) training() (robots.Preference, string) {
	if c.Server != "" {
		return against, "server attribute, no licence held"
	}
	value, basis := none, "no licence in it"
	for _, l := range c.Licenses {
		one, why := l.training()
		if one == inFavor {
			return one, why
		}
		if value == none {
			value, basis = one, why
		}
	}
	return value, basis
}

func (l rslLicense) training() (robots.Preference, string) {
	if use := usesTraining(l.Prohibits); use != "" {
		return against, "prohibits " + use
	}
	use := usesTraining(l.Permits)
	switch {
	case use == "" && hasUsage(l.Permits):
		return against, "training is not among what is permitted"
	case use == "":
		return none, "usage not stated"
	}
	for _, p := range l.Payment {
		if p.Type != "" && !strings.EqualFold(p.Type, "free") {
			return against, "payment " + strings.ToLower(p.Type)
		}
	}
	return inFavor, "permits " + use + ", free"
}

// usesTraining returns the word for training in lists of usages, or an empty
// string.
func usesTraining(lists []rslUses) string {
	for _, list := range lists {
		if !isUsage(list) {
			continue
		}
		for word := range strings.FieldsFuncSeq(strings.ToLower(list.List), func(r rune) bool { return r == ',' || r <= ' ' }) {
			if word == "all" || word == "ai-all" || word == "ai-train" || word == "train-ai" {
				return word
			}
		}
	}
	return ""
}

func hasUsage(lists []rslUses) bool { return slices.ContainsFunc(lists, isUsage) }

func isUsage(list rslUses) bool { return list.Type == "" || strings.EqualFold(list.Type, "usage") }
