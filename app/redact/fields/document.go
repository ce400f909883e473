package fields

import (
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// document reads JSON. It reports false for everything else, and for a single string or number.
func (r *reader) document(text string, depth int) bool {
	text = strings.TrimSpace(text)
	if text == "" || text[0] != '{' && text[0] != '[' {
		return false
	}
	dec := json.NewDecoder(strings.NewReader(text))
	dec.UseNumber()
	var v any
	if dec.Decode(&v) != nil || dec.More() {
		return false
	}
	r.node("", v, depth)
	return true
}

// node reads a part of a document under a name; the elements of a list have the list's.
func (r *reader) node(name string, v any, depth int) {
	switch v := v.(type) {
	case string:
		r.noteNamed(name, v, depth)
	case json.Number:
		r.noteNamed(name, fmt.Sprint(v), depth)
	case []any:
		if len(v) == 2 {
			if label, ok := v[0].(string); ok && kindOf(label) == secretName {
				name = label
			}
		}
		for _, e := range v {
			r.node(name, e, depth)
		}
	case map[string]any:
		label := labelOf(v)
		for _, key := range slices.Sorted(maps.Keys(v)) {
			e := v[key]
			if label != "" && isValue(key) {
				key = label
			}
			if (kindOf(name) == secretName || name == "tokens") && kindOf(key) == otherName {
				key = name
			}
			r.node(key, e, depth)
		}
	}
}

// labelOf returns the name in {"name": …, "value": …}, of several one of a secret; "" if there is
// none.
func labelOf(v map[string]any) (label string) {
	for _, key := range slices.Sorted(maps.Keys(v)) {
		if text, ok := v[key].(string); ok && isLabel(key) && (label == "" || kindOf(text) == secretName) {
			label = text
		}
	}
	return label
}

// isLabel reports whether what a name names is the name of a value beside it.
func isLabel(name string) bool {
	return slices.Contains([]string{"name", "key", "id"}, strings.ToLower(name))
}

// isValue reports whether what a name names is a value that has its own name beside it.
func isValue(name string) bool {
	return slices.Contains([]string{"value", "val", "content"}, strings.ToLower(name))
}

// userinfo is what stands before the host of a URL: the name, and the password.
var userinfo = regexp.MustCompile(`[A-Za-z][A-Za-z0-9+.-]*://([^\s/:@"'<>]*)` +
	`(?::([^\s/"'<>]*(?:/[^\s"'<>/@]*)*))?@[^\s/@]`)

// nextURL is the beginning of a URL behind another one.
var nextURL = regexp.MustCompile(`[,;|]([A-Za-z][A-Za-z0-9+.-]*://)`)

// loose is the password of a URL that is all of a value, with blanks as URLs have none.
var loose = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://[^\s/:@]*:([^\r\n]* [^\r\n]*)@[^\s/@]+(?:/\S*)?$`)

// otherURL is the host of a URL, and the beginning of another one.
var otherURL = regexp.MustCompile(`@.*://`)

// whole is a URL that is all of a value, with any sign in its user and password, and perhaps no
// host.
var whole = regexp.MustCompile(`^[A-Za-z][A-Za-z0-9+.-]*://([^\s:]*):(\S+)@[^\s@]*$`)

// urls takes note of the passwords in URLs, as written and as they are meant, and of user names
// that look made at random. It reports whether there is a URL.
func (r *reader) urls(text string) bool {
	if !strings.Contains(text, "://") {
		return false
	}
	if m := loose.FindStringSubmatch(text); m != nil {
		r.field("password", m[1], 1)
	}
	m := whole.FindStringSubmatch(text)
	if m != nil && m[1] != m[2] && !port.MatchString(m[2]) && !otherURL.MatchString(m[2]) {
		r.field("password", m[2], 1)
	}
	for _, m := range userinfo.FindAllStringSubmatch(nextURL.ReplaceAllString(text, " $1"), -1) {
		user, password := m[1], m[2]
		switch {
		case password != "" && (password != user || len(password) >= minReading):
			r.field("password", password, 1)
		case password == "" && isOpaque(user):
			r.field("user", user, 1)
		}
	}
	return true
}

// logins is login for each line of a text, if it holds for all of them.
func (r *reader) logins(text string, depth int) bool {
	lines := strings.Split(strings.ReplaceAll(strings.TrimSpace(text), "\r\n", "\n"), "\n")
	for _, line := range lines {
		if _, _, ok := userAndPassword(line); len(lines) > 1 && !ok {
			return false
		}
	}
	structured := false
	for _, line := range lines {
		structured = r.login(line, depth) || structured
	}
	return structured
}

// login reads user:password, also before an @ and a host, user/password@host, and the credentials
// of an Authorization header. It reports false for everything else, and for a user so short that
// what counts as a part of the value has some of the password.
func (r *reader) login(text string, depth int) bool {
	if depth <= 0 {
		return false
	}
	text = strings.TrimSpace(text)
	if r.credentials("credentials", text, depth) {
		return true
	}
	if strings.ContainsAny(text, " \t\r\n") || isURL(text) {
		return false
	}
	if m := pgpass.FindStringSubmatch(text); m != nil {
		r.field("password", m[1], 0)
		r.field("password", unescapeColon.Replace(m[1]), 0)
		return strings.Count(m[1], ":") == strings.Count(m[1], `\:`)
	}
	if m := oracle.FindStringSubmatch(text); m != nil {
		r.field("password", m[1], depth)
		return true
	}
	user, password, ok := userAndPassword(text)
	if !ok || port.MatchString(password) || password == user && len(password) < minReading {
		return false
	}
	r.field("password", password, 1)
	if at := strings.LastIndexByte(password, '@'); at > 0 && behindAt.MatchString(password[at+1:]) {
		r.field("password", password[:at], 1)
		return !isOpaque(user)
	}
	before := len(user) + len(":")
	return (before >= minWord || 5*before >= 3*len(text)) && !isOpaque(user)
}

// userAndPassword takes user:password apart.
func userAndPassword(text string) (user, password string, ok bool) {
	user, password, _ = strings.Cut(text, ":")
	return user, password, isUserName(user) && secretWord.MatchString(password)
}

func isUserName(text string) bool { return len(text) <= 128 && userName.MatchString(text) }

var (
	userName   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_.@+\\-]*$`)
	secretWord = regexp.MustCompile(`^[^\s:]\S*$`)
	oracle     = regexp.MustCompile(`^(?:jdbc:oracle:[a-z0-9]+:)?[A-Za-z_][^\s:/@]*/([^\s/@]+)@[A-Za-z0-9_./:=()-]+$`)
	pgpass     = regexp.MustCompile(`^(?:[^:\\]|\\.)*:[0-9*]*:(?:[^:\\]|\\.)*:(?:[^:\\]|\\.)*:(\S+)$`)
	port       = regexp.MustCompile(`^[0-9]{1,5}(?:/\S*)?$`)
	behindAt   = regexp.MustCompile(`^(?:[a-z]+\()?[A-Za-z0-9.-]+(?::[0-9]+)?\)?(?:/\S*)?$`)
)

// isURL reports whether a text begins as a URL does, and not with a user before a colon.
func isURL(text string) bool {
	scheme, _, found := strings.Cut(text, "://")
	return found && (!strings.Contains(scheme, ":") || strings.HasPrefix(text, "jdbc:"))
}
