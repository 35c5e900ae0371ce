package main

import (
	"bytes"
	"fmt"
	"strings"

	estes "github.com/benjaminestes/robots/v2"
	google "github.com/jimsmart/grobotstxt"
	temoto "github.com/temoto/robotstxt"

	"github.com/decorum-crawler/decorum/robots"
)

const (
	agent = "decorum"
	site  = "https://shop.example"
)

// A matcher is a robots.txt library.
type matcher struct {
	name string
	// parse reads a file as far as the library does before it is asked.
	parse func(body []byte) error
	// ready returns a function that reports whether our agent may fetch a path.
	ready func(body []byte) (check func(path string) bool, err error)
	// line returns the line that decides; nil when the library does not tell.
	line func(body []byte, path string) int
}

var matchers = []matcher{
	{
		name:  "decorum",
		parse: func(body []byte) error { robots.Parse(body); return nil },
		ready: func(body []byte) (func(string) bool, error) {
			file := robots.Parse(body)
			return func(path string) bool { return file.Check(agent, path).Allowed }, nil
		},
		line: func(body []byte, path string) int { return robots.Parse(body).Check(agent, path).Rule.Line },
	},
	{
		name:  "temoto/robotstxt",
		parse: func(body []byte) error { _, err := temoto.FromBytes(body); return err },
		ready: func(body []byte) (func(string) bool, error) {
			data, err := temoto.FromBytes(body)
			if err != nil {
				return nil, err
			}
			return func(path string) bool { return data.TestAgent(path, agent) }, nil
		},
	},
	{
		// The port of Google's matcher keeps nothing: each question reads the file.
		name:  "jimsmart/grobotstxt",
		parse: func(body []byte) error { google.Parse(string(body), ignoreAll{}); return nil },
		ready: func(body []byte) (func(string) bool, error) {
			text := string(body)
			return func(path string) bool { return google.AgentAllowed(text, agent, site+path) }, nil
		},
		line: func(body []byte, path string) int {
			m := google.NewRobotsMatcher()
			m.AgentAllowed(string(body), agent, site+path)
			return m.MatchingLine()
		},
	},
	{
		name:  "benjaminestes/robots",
		parse: func(body []byte) error { _, err := estes.From(200, bytes.NewReader(body)); return err },
		ready: func(body []byte) (func(string) bool, error) {
			file, err := estes.From(200, bytes.NewReader(body))
			if err != nil {
				return nil, err
			}
			check := file.Tester(agent)
			return func(path string) bool { return check(site + path) }, nil
		},
	},
}

// ignoreAll ignores the callbacks of the port of Google's parser.
type ignoreAll struct{}

func (ignoreAll) HandleRobotsStart()                      {}
func (ignoreAll) HandleRobotsEnd()                        {}
func (ignoreAll) HandleUserAgent(int, string)             {}
func (ignoreAll) HandleAllow(int, string)                 {}
func (ignoreAll) HandleDisallow(int, string)              {}
func (ignoreAll) HandleSitemap(int, string)               {}
func (ignoreAll) HandleUnknownAction(int, string, string) {}

// countLines is the minimum work of a line reader.
func countLines(body []byte) int { return bytes.Count(body, []byte("\n")) }

// robotsOf returns a file of n rules in a mix that is typical of large sites: one in
// twenty has a star, one in ten is an Allow. 10,000 of them are just under the
// 500 KiB that RFC 9309 §2.5 asks a crawler to read.
func robotsOf(n int) []byte {
	var b bytes.Buffer
	b.WriteString("User-agent: *\n")
	for i := range n {
		switch {
		case i%20 == 7:
			fmt.Fprintf(&b, "Disallow: /shop/category-%d/*sort=\n", i)
		case i%10 == 3:
			fmt.Fprintf(&b, "Allow: /shop/category-%d/public/item\n", i-1)
		default:
			fmt.Fprintf(&b, "Disallow: /shop/category-%d/private-area-of-others\n", i)
		}
	}
	return b.Bytes()
}

// A matchInput is a file and a path that one of its rules matches or almost matches.
type matchInput struct {
	name string
	body []byte
	path string
}

func matchInputs() []matchInput {
	return []matchInput{
		{"50 rules", robotsOf(50), "/shop/category-48/private-area-of-others/x.html?page=2"},
		{"10,000 rules", robotsOf(10_000), "/shop/category-9998/private-area-of-others/x.html?page=2"},
		{
			"/*a*a*a...*b of 200 stars, 2 KiB path",
			[]byte("User-agent: *\nDisallow: /" + strings.Repeat("*a", 200) + "*b\n"), "/" + strings.Repeat("a", 2047),
		},
	}
}
