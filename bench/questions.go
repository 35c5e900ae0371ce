package main

import "strconv"

// A question is one with an answer in RFC 9309.
type question struct {
	about   string
	robots  string
	path    string
	allowed bool
	line    int // the one that decides; 0 when it does not matter
}

// ask returns the wrong answer of a matcher, or "" when it is right.
func (q question) ask(m matcher) string {
	check, err := m.ready([]byte(q.robots))
	switch {
	case err != nil:
		return "refuses the file"
	case check(q.path) && !q.allowed:
		return "allows"
	case !check(q.path) && q.allowed:
		return "forbids"
	case q.line == 0:
		return ""
	case m.line == nil:
		return "no line"
	}
	if got := m.line([]byte(q.robots), q.path); got != q.line {
		return "line " + strconv.Itoa(got)
	}
	return ""
}

var questions = []question{
	{about: "the longest match wins", robots: "User-agent: *\nDisallow: /a\nAllow: /a/b\n", path: "/a/b", allowed: true},
	{about: "Allow wins a tie", robots: "User-agent: *\nDisallow: /a\nAllow: /a\n", path: "/a", allowed: true},
	{about: "a star in the middle", robots: "User-agent: *\nDisallow: /*.pdf$\n", path: "/x/y.pdf"},
	{about: "the end of the path", robots: "User-agent: *\nDisallow: /*.pdf$\n", path: "/x/y.pdf?x", allowed: true},
	{about: "hex digits are case-insensitive", robots: "User-agent: *\nDisallow: /caf%c3%a9\n", path: "/caf%C3%A9"},
	{about: "letters may be escaped", robots: "User-agent: *\nDisallow: /%7Eann\n", path: "/~ann"},
	{about: "octets may be unescaped", robots: "User-agent: *\nDisallow: /café\n", path: "/caf%C3%A9"},
	{about: "an escaped slash does not separate segments", robots: "User-agent: *\nDisallow: /a%2Fb\n", path: "/a/b", allowed: true},
	{about: "the query counts", robots: "User-agent: *\nDisallow: /a?sort=\n", path: "/a?sort=up"},
	{
		about:  "groups of one agent are merged",
		robots: "User-agent: decorum\nDisallow: /a\n\nUser-agent: x\nDisallow: /\n\nUser-agent: decorum\nDisallow: /b\n", path: "/b",
	},
	{about: "a group may have several names", robots: "User-agent: x\nUser-agent: decorum\nDisallow: /a\n", path: "/a"},
	{about: "* is not added to a named group", robots: "User-agent: *\nDisallow: /a\n\nUser-agent: decorum\nDisallow: /b\n", path: "/a", allowed: true},
	{about: "a prefix of a token does not match", robots: "User-agent: deco\nDisallow: /\n", path: "/", allowed: true},
	{about: "tokens are case-insensitive", robots: "User-agent: DECORUM\nDisallow: /\n", path: "/"},
	{about: "a byte order mark", robots: "\ufeffUser-agent: *\nDisallow: /\n", path: "/"},
	{about: "lines may end in CR alone", robots: "User-agent: *\rDisallow: /a\r", path: "/a"},
	{about: "a rule before any group is ignored", robots: "Disallow: /\nUser-agent: *\nDisallow: /a\n", path: "/b", allowed: true},
	{about: "an unknown line is ignored", robots: "User-agent: *\nColour: blue\nDisallow: /a\n", path: "/a"},
	{about: "Sitemap does not end a group", robots: "User-agent: *\nSitemap: https://shop.example/s.xml\nDisallow: /a\n", path: "/a"},
	{about: "an empty Disallow forbids nothing", robots: "User-agent: *\nDisallow:\n", path: "/a", allowed: true},
	{about: "robots.txt itself is allowed", robots: "User-agent: *\nDisallow: /\n", path: "/robots.txt", allowed: true},
	{about: "which line it was", robots: "# ours\n\nUser-agent: *\nDisallow: /b\nDisallow: /a # here\n", path: "/a/b", line: 5},
}
