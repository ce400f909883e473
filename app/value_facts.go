package app

import (
	"net/url"
	"strings"
)

// Facts are what may be said about a value without saying the value.
type Facts struct {
	Size     int    // bytes
	Lines    int    // 1 for a value without line breaks
	Host     string // of a value that is an address; "" if it is none
	Password bool   // that address holds one
}

// Describe says what may be shown of a value. An address may hold secrets in its path and query, so
// of one only the host is told.
func Describe(value Secret) Facts {
	text := value.Reveal()
	f := Facts{Size: len(text), Lines: 1 + strings.Count(strings.TrimRight(text, "\n"), "\n")}
	u, err := url.Parse(text)
	if err != nil || u.Hostname() == "" || f.Lines > 1 || u.Scheme == "" {
		return f
	}
	if _, set := u.User.Password(); set {
		f.Password = true
	}
	if h, err := ParseHost(u.Host); err == nil {
		f.Host = h.String()
	}
	return f
}
