package robots

import (
	"slices"
	"strings"
)

// Directives are what a page states about itself by X-Robots-Tag and meta robots.
type Directives struct {
	NoIndex  bool
	NoFollow bool
	Names    []string // all that apply to the agent, in lower case, in order, without duplicates
}

// AddHeader adds what one X-Robots-Tag line says to agent. A line may be
// scoped to a bot ("otherbot: noindex, nofollow"); the scope applies to the
// directives after it, up to the next scope.
func (d *Directives) AddHeader(agent, value string) {
	ours := true
	for part := range strings.SplitSeq(value, ",") {
		part = strings.TrimSpace(part)
		if name, rest, ok := strings.Cut(part, ":"); ok && !hasValue(name) {
			ours = sameToken(agent, name)
			part = strings.TrimSpace(rest)
		}
		if ours {
			d.add(part)
		}
	}
}

// AddMeta adds what a meta element of the page says to agent. An element counts
// if its name is "robots" or the agent's token.
func (d *Directives) AddMeta(agent, name, content string) {
	name = strings.TrimSpace(name)
	if !strings.EqualFold(name, "robots") && !sameToken(agent, name) {
		return
	}
	for part := range strings.SplitSeq(content, ",") {
		d.add(strings.TrimSpace(part))
	}
}

func (d *Directives) add(directive string) {
	directive = strings.ToLower(directive)
	switch directive {
	case "":
		return
	case "none":
		d.NoIndex, d.NoFollow = true, true
	case "noindex":
		d.NoIndex = true
	case "nofollow":
		d.NoFollow = true
	}
	if !slices.Contains(d.Names, directive) {
		d.Names = append(d.Names, directive)
	}
}

// hasValue reports whether a directive of that name has a value after a colon,
// so that the name is not that of a bot.
func hasValue(name string) bool {
	switch strings.ToLower(strings.TrimSpace(name)) {
	case "unavailable_after", "max-snippet", "max-image-preview", "max-video-preview":
		return true
	}
	return false
}

func sameToken(agent, name string) bool {
	token := Token(agent)
	return token != "" && strings.EqualFold(token, strings.TrimSpace(name))
}

// Merge adds the directives of other.
func (d *Directives) Merge(other Directives) {
	for _, name := range other.Names {
		d.add(name)
	}
}
