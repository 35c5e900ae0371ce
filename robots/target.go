package robots

import (
	"fmt"
	"strings"
)

// Target returns the path and query of an absolute http or https URL as a client
// sends them: without dot segments (RFC 3986 §5.2.4), fragment and userinfo,
// with "/" for an empty path, other octets as written. A bare "?" at the end
// stays. The result fits [File.Check].
func Target(rawURL string) (string, error) {
	rest, err := afterAuthority(rawURL)
	if err != nil {
		return "", err
	}
	rest, _, _ = strings.Cut(rest, "#")
	path, query, hasQuery := strings.Cut(rest, "?")
	path = removeDots(path)
	if hasQuery {
		return path + "?" + query, nil
	}
	return path, nil
}

func afterAuthority(rawURL string) (string, error) {
	scheme, rest, ok := strings.Cut(rawURL, "://")
	if !ok || !strings.EqualFold(scheme, "http") && !strings.EqualFold(scheme, "https") {
		return "", fmt.Errorf("read URL %q: not an absolute http or https URL", rawURL)
	}
	end := strings.IndexAny(rest, "/?#")
	if end < 0 {
		end = len(rest)
	}
	if end == 0 {
		return "", fmt.Errorf("read URL %q: no host", rawURL)
	}
	return rest[end:], nil
}

// removeDots follows RFC 3986 §5.2.4; escaped dots count as dots, as in the
// WHATWG URL standard.
func removeDots(path string) string {
	if path == "" {
		return "/"
	}
	if !strings.Contains(path, "/.") && !strings.Contains(path, "/%2") {
		return path
	}
	segments := strings.Split(path[1:], "/")
	out := make([]string, 0, len(segments))
	for i, segment := range segments {
		last := i == len(segments)-1
		switch strings.ReplaceAll(strings.ToLower(segment), "%2e", ".") {
		case ".":
			if last {
				out = append(out, "")
			}
		case "..":
			if len(out) > 0 {
				out = out[:len(out)-1]
			}
			if last {
				out = append(out, "")
			}
		default:
			out = append(out, segment)
		}
	}
	return "/" + strings.Join(out, "/")
}
