package app

import (
	"net/url"
	"strings"
)

// Facts describe a value without revealing it.
type Facts struct {
	Size     int    // bytes
	Lines    int    // 1 for a value without line breaks
	Host     string // of a value that is an address; "" if it is none
	Password bool   // that address holds one
}

// Describe returns a value's facts. Of an address it gives only the host: path and query may hold
// secrets.
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
