package main

import (
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf16"

	google "github.com/jimsmart/grobotstxt"

	"github.com/decorum-crawler/decorum/robots"
)

// An inquiry is what Google's matcher is asked.
type inquiry struct {
	text  string
	agent string
	path  string
}

// A peer answers an inquiry.
type peer func(inquiry) bool

func port(q inquiry) bool { return google.AgentAllowed(q.text, q.agent, site+q.path) }

// peerOf returns the matcher to compare with: the program in google/peer.cc if
// GOOGLE_PEER names it, else the port in Go.
func peerOf(t *testing.T) peer {
	t.Helper()
	name := os.Getenv("GOOGLE_PEER")
	if name == "" {
		return port
	}
	program := exec.CommandContext(context.WithoutCancel(t.Context()), name)
	in, err := program.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := program.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := program.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := errors.Join(in.Close(), program.Wait()); err != nil {
			t.Error(err)
		}
	})
	return func(q inquiry) bool {
		var request []byte
		for _, part := range []string{q.text, q.agent, site + q.path} {
			request = append(binary.LittleEndian.AppendUint32(request, uint32(len(part))), part...)
		}
		var answer [1]byte
		if _, err := in.Write(request); err != nil {
			t.Fatal(err)
		}
		if _, err := io.ReadFull(out, answer[:]); err != nil {
			t.Fatal(err)
		}
		return answer[0] == '1'
	}
}

// A class is a known difference. change rewrites an inquiry so that Google's
// matcher sees what decorum makes of it. The code is written apart from that of
// the package robots.
type class struct {
	name   string
	change func(inquiry) inquiry
}

// classes are in the order in which they are applied together.
var classes = []class{
	{"UTF-16 is read (deviation)", func(q inquiry) inquiry { q.text = plainText(q.text); return q }},
	{"robots.txt itself is allowed (RFC 9309 2.2.2)", allowItself},
	{"blanks beyond ASCII are none (the port strips them, Google does not)", keepBlanks},
	{"field names that only begin like one (RFC 9309 2.2)", func(q inquiry) inquiry { return q.eachLine(dropOtherFields) }},
	{"names are cut to their tokens (RFC 9309 2.2.1; Google cuts those of the file, the port none)", cutNames},
	{"digits belong to a token (deviation)", nameDigits},
	{"index.html does not open its folder (Google's own rule)", hideIndex},
	{"escapes of the URL (RFC 9309 2.2.2)", func(q inquiry) inquiry { q.path = normal(q.path, ""); return q }},
	{"octets of the rule (RFC 9309 2.2.2)", func(q inquiry) inquiry { return q.eachRule(normalRule) }},
	{"a % that begins no escape (deviation)", func(q inquiry) inquiry { return q.lenient(true, false) }},
	{"reserved octets of a query (deviation)", func(q inquiry) inquiry { return q.lenient(false, true) }},
}

// explain returns the class that a difference belongs to: the only one that must
// be applied, or several, or "" if all together leave it.
func explain(google peer, q inquiry, want bool) string {
	var needed []string
	all := q
	for _, c := range classes {
		if all = c.change(all); google(c.change(q)) == want {
			return c.name
		}
	}
	if google(all) != want {
		return ""
	}
	for i := range classes { // which of them cannot be left out?
		without := q
		for j, c := range classes {
			if j != i {
				without = c.change(without)
			}
		}
		if google(without) != want {
			needed = append(needed, classes[i].name)
		}
	}
	if len(needed) == 1 {
		return needed[0]
	}
	return "several of these"
}

// TestDifferencesToGoogle compares the verdicts of decorum and of the port of
// Google's matcher on generated files, and wants a known reason for each
// difference.
func TestDifferencesToGoogle(t *testing.T) {
	if testing.Short() {
		t.Skip("it takes half a minute")
	}
	google := peerOf(t)
	random := rand.New(rand.NewPCG(9309, 2022))
	pairs, differences, opened, files := 0, map[string]int{}, map[string]int{}, map[string]map[int]bool{}
	for n := range 1_000 {
		data := generate(random)
		file := robots.Parse(data)
		paths := pathsOf(random, data)
		for _, agent := range askedAgents {
			group := file.Group(agent)
			for _, path := range paths {
				pairs++
				q := inquiry{string(data), agent, path}
				got := group.Check(path).Allowed
				if google(q) == got {
					continue
				}
				name := explain(google, q, got)
				if name == "" {
					t.Errorf("%s for %s: decorum says %v by %+v, Google %v, unexplained in\n%q", path, agent, got, group.Check(path).Rule, !got, data)
				}
				differences[name]++
				if got {
					opened[name]++
				}
				if files[name] == nil {
					files[name] = map[int]bool{}
				}
				files[name][n] = true
			}
		}
	}
	var table strings.Builder
	names := slices.SortedFunc(maps.Keys(differences), func(a, b string) int { return cmp.Compare(differences[b], differences[a]) })
	for _, name := range names {
		fmt.Fprintf(&table, "\n%8d  %4d files  %8d allowed by decorum  %s", differences[name], len(files[name]), opened[name], name)
	}
	t.Logf("%d pairs of 1,000 files, %d unexplained%s", pairs, differences[""], table.String())
}

// eachLine rewrites the lines of a text; an empty one stays in its place.
func (q inquiry) eachLine(change func(line string) string) inquiry {
	lines := strings.Split(strings.NewReplacer("\r\n", "\n", "\r", "\n").Replace(plainText(q.text)), "\n")
	for i, line := range lines {
		lines[i] = change(line)
	}
	q.text = strings.Join(lines, "\n")
	return q
}

var ruleLine = regexp.MustCompile(`(?i)^[ \t]*(allow|disallow|dissallow|dissalow|disalow|diasllow|disallaw)[ \t]*(?::|[ \t])[ \t\x00]*([^#]*?)[ \t\x00]*(?:#.*)?$`)

// eachRule rewrites the values of rules.
func (q inquiry) eachRule(change func(allow bool, value string) string) inquiry {
	return q.eachLine(func(line string) string {
		parts := ruleLine.FindStringSubmatch(line)
		if parts == nil {
			return line
		}
		allow := strings.EqualFold(parts[1], "allow")
		return map[bool]string{true: "Allow: ", false: "Disallow: "}[allow] + change(allow, parts[2])
	})
}

func plainText(text string) string {
	var order binary.ByteOrder = binary.LittleEndian
	switch {
	case strings.HasPrefix(text, "\xff\xfe"):
	case strings.HasPrefix(text, "\xfe\xff"):
		order = binary.BigEndian
	default:
		return text
	}
	var units []uint16
	for i := 2; i+1 < len(text); i += 2 {
		units = append(units, order.Uint16([]byte(text[i:i+2])))
	}
	return string(utf16.Decode(units))
}

func allowItself(q inquiry) inquiry {
	if q.path == "/robots.txt" {
		q.text = ""
	}
	return q
}

func keepBlanks(q inquiry) inquiry {
	return q.eachLine(func(line string) string { return strings.ReplaceAll(line, "\u00a0", "%C2%A0") })
}

// accepted are the field names that decorum takes for rules and agents.
var accepted = []string{
	"allow", "disallow", "dissallow", "dissalow", "disalow", "diasllow", "disallaw", "user-agent", "useragent", "user agent",
}

// dropOtherFields drops lines whose name begins like a field, and an Allow
// without a colon.
func dropOtherFields(line string) string {
	text, _, _ := strings.Cut(line, "#")
	name, _, colon := strings.Cut(text, ":")
	name = strings.ToLower(strings.Trim(name, " \t\ufeff"))
	switch {
	case colon && slices.Contains(accepted, name):
		return line
	case colon:
		return ""
	}
	words := strings.Fields(name)
	if len(words) == 2 && words[0] != "allow" && slices.Contains(accepted, words[0]) {
		return line
	}
	return ""
}

// tokenOf returns the product token that a name begins with.
func tokenOf(agent string) string {
	return agent[:len(agent)-len(strings.TrimLeft(agent, tokenOctets))]
}

const tokenOctets = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-"

func cutNames(q inquiry) inquiry {
	q.agent = tokenOf(q.agent)
	return q.eachLine(func(line string) string {
		if at := agentLine.FindStringSubmatchIndex(line); at != nil {
			return line[:at[5]]
		}
		return line
	})
}

var agentLine = regexp.MustCompile(`(?i)^(\x{feff}?[ \t]*user[- ]?agent[ \t]*[: \t][ \t]*)([0-9A-Za-z_-]+)`)

// nameDigits spells the digits of tokens in letters.
func nameDigits(q inquiry) inquiry {
	var pairs []string
	for digit := range 10 {
		pairs = append(pairs, strconv.Itoa(digit), "_digit_"+string(rune('a'+digit)))
	}
	spell := strings.NewReplacer(pairs...)
	q = q.eachLine(func(line string) string {
		at := agentLine.FindStringSubmatchIndex(line)
		if at == nil {
			return line
		}
		return line[:at[4]] + spell.Replace(line[at[4]:at[5]]) + line[at[5]:]
	})
	token := tokenOf(q.agent)
	q.agent = spell.Replace(token) + q.agent[len(token):]
	return q
}

// hideIndex renames the file that Google treats specially.
func hideIndex(q inquiry) inquiry {
	q = q.eachLine(func(line string) string { return strings.ReplaceAll(line, "/index.htm", "/indez.htm") })
	q.path = strings.ReplaceAll(q.path, "/index.htm", "/indez.htm")
	return q
}

func escape(c byte) string { return fmt.Sprintf("%%%02X", c) }

var escapes = regexp.MustCompile(`%[0-9a-fA-F]{2}`)

// normal unescapes unreserved octets, and escapes what is neither reserved nor
// unreserved, nor in keep.
func normal(text, keep string) string {
	text = escapes.ReplaceAllStringFunc(text, func(one string) string {
		var c byte
		fmt.Sscanf(one[1:], "%x", &c)
		if isUnreserved(c) {
			return string(c)
		}
		return escape(c)
	})
	var b strings.Builder
	for i := range len(text) {
		if c := text[i]; isUnreserved(c) || strings.IndexByte("/?:@!&'()+,;=[]%"+keep, c) >= 0 {
			b.WriteByte(c)
		} else {
			b.WriteString(escape(c))
		}
	}
	return b.String()
}

func isUnreserved(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || strings.IndexByte("-._~", c) >= 0
}

func normalRule(_ bool, value string) string {
	body, anchored := strings.CutSuffix(value, "$")
	body = normal(body, "*")
	if anchored {
		return body + "$"
	}
	return body
}

// A lone percent sign of a pattern: one that a star or the end follows, with one
// digit or none, and any other.
var (
	openPercent = regexp.MustCompile(`^%[0-9a-fA-F]?(\*|$)`)
	fullEscape  = regexp.MustCompile(`^%[0-9a-fA-F]{2}`)
)

// lenient replaces each Disallow that decorum matches where its text does not
// match by the beginning of the path, as long as the rule is in normal form.
func (q inquiry) lenient(percent, query bool) inquiry {
	path := normal(q.path, "")
	return q.eachRule(func(allow bool, value string) string {
		if value == "" || value[0] != '/' && value[0] != '*' {
			return value
		}
		form := normalRule(allow, value)
		expression, length := translate(form, allow, percent, query)
		if allow || expression == nil || !expression.MatchString(path) {
			if percent && allow {
				return literalPercent(form)
			}
			return value
		}
		start := path[:min(length, len(path))]
		return start + strings.Repeat("*", length-len(start))
	})
}

// literalPercent escapes every lone percent sign.
func literalPercent(form string) string {
	var b strings.Builder
	for i := range len(form) {
		b.WriteByte(form[i])
		if form[i] == '%' && !fullEscape.MatchString(form[i:]) {
			b.WriteString("25")
		}
	}
	return b.String()
}

// translate returns a regular expression of what a Disallow means and its
// length; nil if it has nothing of the kind.
func translate(form string, allow, percent, query bool) (*regexp.Regexp, int) {
	body, anchored := strings.CutSuffix(form, "$")
	var b strings.Builder
	b.WriteString("(?s)^")
	length, kind, inQuery := len(form), false, false
	for i := 0; i < len(body); {
		rest := body[i:]
		open := openPercent.FindString(rest)
		switch {
		case rest[0] == '*':
			b.WriteString(".*")
			i++
		case rest[0] == '%' && !fullEscape.MatchString(rest):
			kind = kind || percent
			length += 2
			if digit := strings.TrimRight(open, "*"); open != "" && (!anchored || strings.HasSuffix(open, "*")) {
				b.WriteString("(?:" + strings.ToUpper(digit) + "|%25" + digit[1:] + ")")
				i += len(digit)
				continue
			}
			b.WriteString("%25")
			i++
		default:
			n := 1
			if rest[0] == '%' {
				n = 3
			}
			one := rest[:n]
			if data := dataOf(one); inQuery && data != "" && query {
				kind = true
				b.WriteString("(?:" + regexp.QuoteMeta(data) + "|" + escape(data[0]) + ")")
			} else {
				b.WriteString(regexp.QuoteMeta(one))
			}
			inQuery = inQuery || one == "?"
			i += n
		}
	}
	if anchored {
		b.WriteString("$")
	}
	if !kind || allow {
		return nil, 0
	}
	return regexp.MustCompile(b.String()), length
}

// dataOf returns the octet that is data in a query, written as it is or escaped.
func dataOf(one string) string {
	for _, c := range "/?:@!'(),[]" {
		if one == string(c) || one == escape(byte(c)) {
			return string(c)
		}
	}
	return ""
}
