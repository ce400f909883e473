package uix

import (
	"maps"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
)

// HostLines writes hosts one per line, for ParseHosts.
func HostLines(hosts []app.Host) string {
	lines := make([]string, len(hosts))
	for i, h := range hosts {
		lines[i] = h.String()
	}
	return strings.Join(lines, "\n")
}

// ParseHosts reads one host per line. It takes unwritten details from the same host in before. The
// result is never nil: no line means no host.
func ParseHosts(text string, before []app.Host) ([]app.Host, error) {
	hosts := []app.Host{}
	for line := range strings.Lines(text) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		h, err := app.ParseHost(line)
		if err != nil {
			return nil, err
		}
		for _, b := range before {
			if b.String() == h.String() {
				h = b
			}
		}
		hosts = append(hosts, h)
	}
	return hosts, nil
}

// Query reads the named parameters of the URL, trimmed and clipped. It leaves out empty ones.
func Query(c echo.Context, names ...string) url.Values {
	q := url.Values{}
	for _, name := range names {
		if text := app.Clip(strings.TrimSpace(c.QueryParam(name)), 253); text != "" {
			q.Set(name, text)
		}
	}
	return q
}

// ParseDays reads the inclusive days "from" and "to" of a query as [from, to). It removes invalid
// ones: date fields can't show them.
func ParseDays(q url.Values) (from, to time.Time, found components.Problems) {
	found = components.Problems{}
	day := func(field string) time.Time {
		text := q.Get(field)
		if text == "" {
			return time.Time{}
		}
		at, err := time.Parse(time.DateOnly, text)
		if err != nil {
			found[field] = `"` + app.Clip(text, 20) + `" is not a date. Write it like 2026-11-30.`
			q.Del(field)
		}
		return at
	}
	from, to = day("from"), day("to")
	if !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		found["to"] = "This day is before the first one."
	}
	return from, to, found
}

// Address adds a query and more pairs of name and value to a path.
func Address(path string, q url.Values, more ...string) string {
	all := url.Values{}
	maps.Copy(all, q)
	for i := 0; i < len(more); i += 2 {
		all.Set(more[i], more[i+1])
	}
	if len(all) == 0 {
		return path
	}
	return path + "?" + all.Encode()
}

// ContainsWords reports whether hay contains every word of text, ignoring case.
func ContainsWords(hay, text string) bool {
	hay = strings.ToLower(hay)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		if !strings.Contains(hay, word) {
			return false
		}
	}
	return true
}

// MatchProfile searches a profile's name, keys, credentials, hosts and handle for every word. It
// ignores the id, which is a token.
func MatchProfile(p app.Profile, text string) bool {
	hay := []string{p.Description, p.Handle, p.PairingCode}
	for _, k := range p.Keys {
		hay = append(hay, k.Name, k.Credential)
	}
	for _, h := range p.Hosts {
		hay = append(hay, h.Name)
	}
	return ContainsWords(strings.Join(hay, "\n"), text)
}
