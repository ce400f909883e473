package bundle

import (
	"path"
	"strings"

	"golang.org/x/net/publicsuffix"
)

// addHosts adds the hosts of URLs, and names with a public suffix in quotes or between blanks. It
// leaves out the manifest's.
func addHosts(hosts, asked map[string]bool, text string) {
	add := func(name string) {
		if name = strings.ToLower(name); name != "" && !asked[name] {
			hosts[name] = true
		}
	}
	for from := 0; from < len(text) && len(hosts) < maxNames; {
		if !isHostByte(text[from]) {
			from++
			continue
		}
		to := from + 1
		for to < len(text) && isHostByte(text[to]) {
			to++
		}
		word := text[from:to]
		if rest, ok := strings.CutPrefix(text[to:], "://"); ok && endsInScheme(word) {
			add(strings.TrimRight(hostOfURL(rest), "."))
		} else if stands(text, from, to) && isHostName(word) {
			add(word)
		}
		from = to
	}
}

func isHostByte(c byte) bool {
	return 'a' <= c && c <= 'z' || '0' <= c && c <= '9' || 'A' <= c && c <= 'Z' || c == '.' || c == '-' || c == '_'
}

var schemes = []string{"http", "https", "ws", "wss", "postgres", "postgresql", "mysql", "redis", "ftp"}

func endsInScheme(word string) bool {
	for _, scheme := range schemes {
		if n := len(word) - len(scheme); n >= 0 && strings.EqualFold(word[n:], scheme) {
			return true
		}
	}
	return false
}

// hostOfURL returns what stands behind the user, if there is one.
func hostOfURL(rest string) string {
	if i := strings.IndexAny(rest, "/@\"' \t\r\n\f"); i >= 0 && rest[i] == '@' {
		rest = rest[i+1:]
	}
	if i := strings.IndexFunc(rest, func(r rune) bool { return r > 0x7f || !isHostByte(byte(r)) }); i >= 0 {
		rest = rest[:i]
	}
	return rest
}

// stands reports whether a word stands by itself, or as the beginning of an address.
func stands(text string, from, to int) bool {
	return (from == 0 || strings.IndexByte("\"' \t\r\n\f(=", text[from-1]) >= 0) &&
		(to == len(text) || strings.IndexByte("\"' \t\r\n\f):/", text[to]) >= 0)
}

func isHostName(word string) bool {
	dot := strings.LastIndexByte(word, '.')
	last := word[dot+1:]
	if dot < 1 || len(last) < 2 || strings.ContainsAny(last, "0123456789-") ||
		word[0] == '.' || strings.Contains(word, "..") || strings.Contains(word, "_") {
		return false
	}
	word = strings.ToLower(word)
	suffix, managed := publicsuffix.PublicSuffix(word)
	return managed && suffix != word && !looksLikeFile(word)
}

// looksLikeFile is for names such as main.py and run.sh, whose endings are countries too.
func looksLikeFile(name string) bool {
	return strings.Count(name, ".") == 1 && (languageOf(name) != "" || path.Ext(name) == ".md" || path.Ext(name) == ".rs")
}
