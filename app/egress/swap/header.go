package swap

import (
	"encoding/base64"
	"strings"
)

// parseBasic reads Basic credentials, strictly: anything else is treated like any other header.
func parseBasic(value string) (user, scheme string, ok bool) {
	scheme, encoded, found := strings.Cut(value, " ")
	if !found || !strings.EqualFold(scheme, "Basic") {
		return "", "", false
	}
	text, err := base64.StdEncoding.Strict().DecodeString(strings.Trim(encoded, " "))
	return string(text), scheme, err == nil && !strings.ContainsAny(encoded, "\r\n")
}

func formatBasic(scheme, user string) string {
	return scheme + " " + base64.StdEncoding.EncodeToString([]byte(user))
}

// fitBasic refuses what the receiver would read as another user or password. Text is all of
// "user:password".
func fitBasic(text string) fit {
	colon := strings.IndexByte(text, ':')
	return func(value string, at int) (string, string) {
		switch {
		case strings.ContainsFunc(value, isControl):
			return "", "it contains a control character"
		case at < colon && strings.Contains(value, ":"):
			return "", "it contains a colon, which a user name can't"
		}
		return value, ""
	}
}

// fitHeader refuses what isn't printable ASCII. Inside a quoted string, quotes and backslashes are
// escaped.
func fitHeader(text string) fit {
	quoted := quotes{text: text}
	return func(value string, at int) (string, string) {
		if why := unfitForHeader(value); why != "" {
			return "", why
		}
		if quoted.allowsValueAt(at) {
			return strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(value), ""
		}
		return value, ""
	}
}

// fitCookie refuses what the receiver would read as another cookie, and a value in the place of a
// cookie's name: names are logged where values are not. Text is all of the header.
func fitCookie(text string) fit {
	return func(value string, at int) (string, string) {
		if why := unfitForHeader(value); why != "" {
			return "", why
		}
		if strings.ContainsAny(value, ` ";,\`) {
			return "", "it contains a character that a cookie can't"
		}
		if strings.HasSuffix(text[:at], `\`) { // some read octal escapes in cookies
			return "", "it is behind a backslash"
		}
		if pair := text[strings.LastIndexByte(text[:at], ';')+1 : at]; !strings.Contains(pair, "=") {
			return "", "that would be the name of a cookie"
		}
		return value, ""
	}
}

func unfitForHeader(value string) string {
	switch {
	case strings.ContainsAny(value, "\r\n"):
		return "it contains a line break"
	case strings.ContainsFunc(value, isControl):
		return "it contains a control character"
	case strings.ContainsFunc(value, func(r rune) bool { return r > '~' }):
		return "it contains characters other than ASCII"
	case strings.Trim(value, " ") != value:
		return "it begins or ends with a space"
	}
	return ""
}

func isControl(r rune) bool { return r < ' ' || r == 0x7f }
