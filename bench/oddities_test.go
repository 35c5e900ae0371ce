package main

import (
	"encoding/binary"
	"math/rand/v2"
	"slices"
	"strings"
	"unicode/utf16"

	"github.com/decorum-crawler/decorum/robots"
)

// The lines of generated files: what real ones have, plain and odd.
var (
	agentLines = []string{
		"User-agent: *", "User-agent: *", "User-agent: friend", "User-agent: other", "User-agent: friend/2.1", "User-agent: Friend*", "User-agent: MJ12bot", "User-agent: MJ", "User-agent: a1",
		"User-agent: Yahoo! Slurp", "User-agent: archive.org_bot", "User-agent: Mail.RU_Bot", "User-agent: friend, other", "User-agent: **", "User-agent:", "User-agent: *\\", "User-agent: * Disallow: /",
		"User-agent: *<br/>Sitemap: https://h.example/s.xml", "User-agent： friend", "User-agent friend", "Useragent: other", "User agent: other", "Usr-agent: friend", "User-agent-x: other",
		"User-agent: Mozilla/5.0 (compatible; other/1.0)", "User-agent: other\u00a0", "User-agent:\u00a0friend", "User-agent: *bot", "\u00a0User-agent: friend", "User-agent: * # all", "USER-AGENT: FRIEND",
	}
	ruleLines = []string{
		"Disallow: /", "Allow: /", "Disallow:", "Allow:", "Disallow: # Allow everything", "Disallow: /a", "Allow: /a", "Allow: /a/b", "Disallow: /a*", "Allow: /*b$", "Disallow: /a/*/c", "Allow: /a/*/c/d$",
		"Disallow: /*%", "Disallow: /itm/*/%", "Allow: /*%", "Disallow: /sale-50%-off", "Allow: /sale-50%-off", "Disallow: /40%$", "Disallow: *url%2*x", "Disallow: /a%b", "Disallow: /x%%20",
		"Disallow: /go?to=https://x.example", "Allow: /go?to=https://", "Disallow: /*?f[", "Allow: /*?f[", "Allow: /*?f%5B", "Disallow: /*?f%5B", "Disallow: /x?k=%3D", "Disallow: /*?*,", "Allow: /x?",
		"Disallow: https://staging.example/", "Allow: .css", "Disallow: ?sort=", "Disallow: a", "Disallow: /a\u200b", "Disallow:\u00a0/b", "\ufeffDisallow: /a", "Dis\u00adallow: /a/b",
		"Disallow: / User-agent: other", "Disallow: /a /b /c", "Disallow: /(a|b)/\\\\d+", "Disallow: /{{ url }}", "Disallow https://h.example/x", "Disallow /wiki/Special:/a", "Disallow /a", "Allow /a/b",
		"Disallow： /a", "Disalow: /a", "Dissallow: /a", "Diaslow: /a", "Alow: /a/b", "Disallowed: /b", "Allowed: /b/c", "Disallow: /%7Ea", "Disallow: /~a/%61", "Allow: /caf\u00e9", "Disallow: /caf%c3%a9",
		"Disallow: /caf\xe9", "Allow: /a$b", "Disallow: /a$b$", "Disallow: /a#b", "Disallow: /a\x00b", "Disallow: *", "Allow: *", "Disallow: /**", "Allow: /a*$", "Disallow: /x y", "Disallow : /a", "disallow:/a",
		"Disallow: /f-%2A.html", "Disallow: /cost%24", "Disallow: /a%2Fb", "Disallow: /q\"x\"", "Allow: /a/index.html", "Disallow: /a/", "Allow: /index.htm", "Disallow: /robots.txt", "Disallow: /*.txt$",
	}
	otherLines = []string{
		"", "# a comment", "Crawl-delay: 5", "Sitemap: /s.xml", "Sitemap: https://h.example/s.xml", "Noindex: /a", "Colour: blue", "welcome", "<p>User-agent: *", "Host: h.example", "Crawl-delay 3",
	}
	askedAgents = []string{"stranger", "friend", "Friend/2.0", "other", "MJ12bot", "archive.org_bot", "Mail.RU_Bot", "a1"}
)

// generate makes a robots.txt of a few groups.
func generate(random *rand.Rand) []byte {
	pick := func(from []string) string { return from[random.IntN(len(from))] }
	var lines []string
	for range 1 + random.IntN(4) {
		for range 1 + random.IntN(3)/2 {
			lines = append(lines, pick(agentLines))
		}
		for range 1 + random.IntN(5) {
			if random.IntN(6) == 0 {
				lines = append(lines, pick(otherLines))
			} else {
				lines = append(lines, pick(ruleLines))
			}
		}
	}
	text := strings.Join(lines, []string{"\n", "\r\n", "\r", "\n\n"}[random.IntN(4)]) + "\n"
	switch random.IntN(20) {
	case 0:
		return utf16Of(text, binary.LittleEndian)
	case 1:
		return utf16Of(text, binary.BigEndian)
	case 2:
		return []byte("\ufeff" + text)
	}
	return []byte(text)
}

func utf16Of(text string, order binary.AppendByteOrder) []byte {
	data := order.AppendUint16(nil, 0xfeff)
	for _, unit := range utf16.Encode([]rune(text)) {
		data = order.AppendUint16(data, unit)
	}
	return data
}

// maxPaths is how many paths are asked of a file.
const maxPaths = 60

// pathsOf makes paths as clients send them from the rules of a file: with stars
// filled, lone percent signs continued or sent as %25, and octets escaped that
// need not be, or not escaped that may be.
func pathsOf(random *rand.Rand, data []byte) []string {
	paths := []string{"/", "/index.html", "/robots.txt", "/a/index.html", "/other?f=1"}
	seen := map[string]bool{}
	for line := range robots.Lines(data) {
		_, tail, _ := strings.Cut(line.Text, ":")
		for _, value := range []string{line.Value, strings.Trim(tail, " ")} {
			if value == "" || seen[value] {
				continue
			}
			seen[value] = true
			for _, star := range []string{"", "a", "/b/", "%5B"} {
				paths = append(paths, spellings(strings.ReplaceAll(strings.TrimSuffix(value, "$"), "*", star))...)
			}
		}
	}
	slices.Sort(paths)
	paths = slices.Compact(paths)
	random.Shuffle(len(paths), func(i, j int) { paths[i], paths[j] = paths[j], paths[i] })
	return paths[:min(len(paths), maxPaths)]
}

func spellings(path string) []string {
	path = "/" + strings.TrimLeft(path, "/")
	forms := []string{
		path, path + "x", strings.ReplaceAll(path, "%", "%25"), path + "20b", path + "5c",
		strings.NewReplacer("[", "%5B", "]", "%5D", ":", "%3A", ",", "%2c").Replace(path),
		strings.NewReplacer("%5B", "[", "%3A", ":", "%2F", "/", "%3D", "=").Replace(path),
		strings.Replace(path, "a", "%61", 1), strings.ReplaceAll(path, "$", "%24"),
	}
	for i, form := range forms {
		forms[i] = sent(form)
	}
	return forms
}

// sent escapes what no client sends as it is.
func sent(path string) string {
	var b strings.Builder
	for i := range len(path) {
		c := path[i]
		switch {
		case c <= ' ' || c >= 0x7f || strings.IndexByte("\"<>\\^`{|}#", c) >= 0:
			b.WriteString(escape(c))
		case c == '%' && !fullEscape.MatchString(path[i:]):
			b.WriteString("%25")
		default:
			b.WriteByte(c)
		}
	}
	return b.String()
}
