package swap

import (
	"encoding/base64"
	"strings"
)

// parseBasic reads Basic strictly: others are treated like any header.
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

// fitBasic refuses a value that changes user or password. text: all of "user:password".
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

// fitHeader refuses all but printable ASCII. Inside quoted strings it escapes quotes and
// backslashes.
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

// fitCookie refuses a value that makes another cookie or stands in a name. Names are logged where
// values are not. text: the whole header.
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
