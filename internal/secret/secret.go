// Package secret removes passwords and keys from addresses before they are written.
//
// [Address] is for one address, [Text] for text with addresses in it, such as an
// error. Both remove user names and passwords before a host, and replace the values
// of parameters with well-known names by [Redacted].
package secret

import (
	"net/url"
	"regexp"
	"strings"
)

// Redacted is the value that replaces a secret one, as in OpenTelemetry's
// conventions on URLs.
const Redacted = "REDACTED"

// names are the parameters whose values are secret: in lower case and without "-",
// "_" and ".". Names that often mean something else, such as key, code and sid, are
// left out.
var names = map[string]bool{
	"token": true, "accesstoken": true, "refreshtoken": true, "idtoken": true, "authtoken": true, "oauthtoken": true,
	"apitoken": true, "sessiontoken": true, "securitytoken": true, "bearertoken": true, "jwt": true,
	"apikey": true, "xapikey": true, "accesskey": true, "authkey": true, "secretkey": true, "privatekey": true,
	"secret": true, "clientsecret": true, "appsecret": true, "authorization": true, "credentials": true,
	"password": true, "passwd": true, "passphrase": true, "pwd": true,
	"sig": true, "signature": true, "awsaccesskeyid": true,
	"xamzsignature": true, "xamzcredential": true, "xamzsecuritytoken": true,
	"xgoogsignature": true, "xgoogcredential": true, "xossignature": true,
}

// longest bounds the name of a parameter, in bytes.
const longest = 40

var (
	// userinfo matches what may be a name and password at the beginning of an
	// address, of any scheme and malformed ones too.
	userinfo = regexp.MustCompile(`(?i)^(\s*(?:[a-z][a-z0-9+.-]*:)?[/\\]{2,})[^/\\?#]*@|^(\s*[a-z][a-z0-9+.-]*:)[^/\\?#@]*:[^/\\?#@]*@`)
	// within matches the same in a text.
	within = regexp.MustCompile(`([/\\]{2})[^/\\?#\s"'<>]*@`)
)

// Address returns an address of any scheme, which may be malformed, without the
// secrets in it.
func Address(address string) string {
	if strings.Contains(address, "@") {
		address = userinfo.ReplaceAllString(address, "$1$2")
	}
	return withoutValues(address)
}

// Text returns text without the secrets of the addresses in it.
func Text(text string) string {
	if strings.Contains(text, "@") {
		text = within.ReplaceAllString(text, "$1")
	}
	return withoutValues(text)
}

// withoutValues replaces the values of secret parameters, in a query, a fragment or
// after a semicolon.
func withoutValues(text string) string {
	var b strings.Builder
	done := 0
	for at := 0; ; {
		next := strings.IndexByte(text[at:], '=')
		if next < 0 {
			break
		}
		at += next + 1
		name := text[max(done, at-1-longest) : at-1]
		start := strings.LastIndexAny(name, "?&;#")
		if start < 0 || !isSecret(name[start+1:]) {
			continue
		}
		end := strings.IndexAny(text[at:], "&;# \t\r\n\"'<>")
		if end < 0 {
			end = len(text) - at
		}
		if end == 0 {
			continue
		}
		b.WriteString(text[done:at])
		b.WriteString(Redacted)
		at += end
		done = at
	}
	if done == 0 {
		return text
	}
	return b.String() + text[done:]
}

var separators = strings.NewReplacer("-", "", "_", "", ".", "")

// isSecret reports whether values of the parameter are secret.
func isSecret(name string) bool {
	if unescaped, err := url.QueryUnescape(name); err == nil {
		name = unescaped
	}
	return names[strings.ToLower(separators.Replace(name))]
}
