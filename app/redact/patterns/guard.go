package patterns

import (
	"encoding/base64"
	"math"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/computclaw/airlock/app/redact/charset"
)

// entropy returns the Shannon entropy of the bytes of s, in bits a byte.
func entropy(s string) float64 {
	var count [256]int
	for i := range len(s) {
		count[s[i]]++
	}
	sum := 0.0
	for _, n := range count {
		if n > 0 {
			p := float64(n) / float64(len(s))
			sum -= p * math.Log2(p)
		}
	}
	return sum
}

// standIn reports whether a text is obviously no secret: masked already, a variable, a placeholder,
// dots or stars.
func standIn(s string) bool {
	if strings.Contains(s, "[REDACTED") || strings.Contains(s, "[SEALED:") || distinct(s) <= 2 {
		return true
	}
	switch {
	case s[0] == '*' && (s[len(s)-1] == '*' || isAlias(s)), s[0] == '{' && (s[1] == '{' || strings.Contains(s, "}")):
		return true
	case strings.HasPrefix(s, "${"), strings.HasPrefix(s, "$("), strings.HasPrefix(s, "%("), strings.HasPrefix(s, "..."):
		return true
	case s[0] == '<' && s[len(s)-1] == '>', s[0] == '[' && s[len(s)-1] == ']', s[0] == '%' && s[len(s)-1] == '%':
		return true
	case s[0] == '$' && strings.Trim(s[1:], "ABCDEFGHIJKLMNOPQRSTUVWXYZ_0123456789") == "":
		return true
	}
	if len(s) > 128 {
		return false // long enough to hold any word by chance
	}
	folded := strings.ToLower(s)
	for _, word := range []string{"example", "placeholder", "your_", "your-", "yourtoken", "xxxxxxxx", "****", "....",
		"…", "changeme", "change-me", "change_me", "dummy"} {
		if strings.Contains(folded, word) {
			return true
		}
	}
	return false
}

// isAlias reports whether a text is a star and a name, as YAML and pointers have it.
func isAlias(s string) bool {
	return strings.Trim(s, "*_-.abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ") == ""
}

func distinct(s string) int {
	var seen [256]bool
	n := 0
	for i := range len(s) {
		if !seen[s[i]] {
			seen[s[i]] = true
			n++
		}
	}
	return n
}

// kinds counts what s is made of: small letters, capitals (other than a first one), digits, other
// characters (other than those between words).
func kinds(s string) (letters, digits, others, all int) {
	var small, capital int
	for i, c := range s {
		switch {
		case 'a' <= c && c <= 'z' || (i == 0 && 'A' <= c && c <= 'Z'):
			small++
		case 'A' <= c && c <= 'Z':
			capital++
		case '0' <= c && c <= '9':
			digits++
		case !strings.ContainsRune("_-./: \\", c):
			others++
		}
	}
	for _, n := range []int{small, capital, digits, others} {
		if n > 0 {
			all++
		}
	}
	return small + capital, digits, others, all
}

func isQuoted(before string) bool {
	return before != "" && strings.ContainsRune("\"'`>", rune(before[len(before)-1]))
}

// password accepts text with at least two kinds of characters. Unquoted text may be code: it must
// be longer, with digits or signs.
func password(before, secret string) bool {
	_, digits, others, all := kinds(secret)
	if all < 2 || code(secret) {
		return false
	}
	return isQuoted(before) || (len(secret) >= 8 && digits+others > 0)
}

// token accepts what was made at random: letters and digits, long, without the look of a name.
func token(before, secret string) bool {
	letters, digits, _, _ := kinds(secret)
	least := 16
	if isQuoted(before) {
		least = 12
	}
	return len(secret) >= least && letters > 0 && digits > 0 && entropy(secret) >= 3 && !code(secret) && !cursor(before)
}

func opaque(_, secret string) bool {
	letters, digits, _, _ := kinds(secret)
	return letters > 0 && digits > 0 && entropy(secret) >= 3
}

// code reports whether s may as well be part of a program: self.password2, get_secret_v2,
// https://host/token, /run/secrets/x1.
func code(s string) bool {
	if strings.Contains(s, "://") || strings.HasPrefix(s, "/") || strings.HasPrefix(s, "./") {
		return true
	}
	return identifiers.MatchString(s)
}

// cursor reports whether the name before a token says that it is a place in a list.
func cursor(before string) bool {
	name := strings.ToLower(strings.TrimRightFunc(before,
		func(r rune) bool { return r >= utf8.RuneSelf || !charset.IsWord(byte(r)) }))
	name = name[strings.LastIndexFunc(name,
		func(r rune) bool { return r >= utf8.RuneSelf || (!charset.IsWord(byte(r)) && r != '-') })+1:]
	for _, word := range []string{"next", "page", "continuation", "cursor", "sync", "cancel"} {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}

// basic accepts base64 of user:password.
func basic(_, secret string) bool {
	text, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(secret, "="))
	if err != nil || !utf8.Valid(text) {
		return false
	}
	_, password, ok := strings.Cut(string(text), ":")
	return ok && password != "" && strings.IndexFunc(string(text), func(r rune) bool { return r < ' ' }) < 0
}

// urlPassword accepts a password in a URL, but for the words that documentation puts there.
func urlPassword(_, secret string) bool {
	switch strings.ToLower(secret) {
	case "password", "pass", "passwd", "pwd", "pw", "secret", "token":
		return false
	}
	return strings.Trim(secret, "0123456789") != "" || len(secret) >= 6
}

// identifiers are dotted names, and words joined by _ or - with short numbers at most.
var identifiers = regexp.MustCompile(`^(?:[A-Za-z_][A-Za-z0-9_]*(?:\.[A-Za-z_][A-Za-z0-9_]*)+` +
	`|[a-z]+(?:[_-](?:[a-z]+|[a-z]?[0-9]{1,2}))+` +
	`|[A-Z]+(?:[_-](?:[A-Z]+|[A-Z]?[0-9]{1,2}))+)$`)

// headerValue accepts what stands behind a header's name, unless it may be a word of prose or a
// program's.
func headerValue(_, secret string) bool {
	letters, digits, others, _ := kinds(secret)
	return digits+others > 0 && letters+digits > 0 && secret[0] != '$' && !code(secret) ||
		len(secret) >= 24 && entropy(secret) >= 3
}

// cookie accepts values that tell one visitor from another.
func cookie(_, secret string) bool {
	return len(secret) >= 12 && entropy(secret) >= 3 && strings.ContainsAny(secret, "0123456789")
}

func flagValue(_, secret string) bool {
	_, digits, others, all := kinds(secret)
	return all >= 2 && digits+others > 0 && !code(secret)
}
