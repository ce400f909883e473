package web

import (
	"context"
	"net/url"
	"strings"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/views/auditview"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
)

// executionFilter reads what a person looks for from the URL. Problems are of fields that were typed wrong.
func (s *Server) executionFilter(c echo.Context) (typed executionview.Filter, f engine.Filter, found components.Problems, err error) {
	ask := func(name string) string { return strings.TrimSpace(c.QueryParam(name)) }
	typed = executionview.Filter{Text: app.Clip(ask("text"), 200), Profile: ask("profile"), From: ask("from"), To: ask("to"), Credential: ask("credential"), Host: hostTyped(ask("host"))}
	if text := ask("status"); text != "" {
		if typed.Status, err = app.ParseStatus(text); err != nil {
			return typed, f, nil, err
		}
	}
	f = engine.Filter{ProfileHandle: typed.Profile, Status: typed.Status, Text: typed.Text, Host: typed.Host, Before: c.QueryParam("before")}
	if f.From, f.To, found = days(&typed.From, &typed.To); len(found) > 0 {
		return typed, f, found, nil
	}
	if typed.Credential != "" {
		f.Credential, err = s.credentialID(c.Request().Context(), typed.Credential)
	}
	return typed, f, nil, err
}

// hostTyped is a host as the ledger has it, from what somebody may paste: a URL, a name with a port.
func hostTyped(text string) string {
	text = strings.ToLower(app.Clip(text, 253))
	if _, rest, is := strings.Cut(text, "://"); is {
		text = rest
	}
	text, _, _ = strings.Cut(text, "/")
	if name, port, is := strings.Cut(text, ":"); is && !strings.Contains(port, ":") { // more colons are an address
		text = name
	}
	return strings.TrimSuffix(text, ".")
}

// credentialID finds a credential by its name. A name that nobody has gives an id that nobody has.
func (s *Server) credentialID(ctx context.Context, name string) (string, error) {
	cred, err := s.cfg.Access.Credential(ctx, name)
	if app.CodeOf(err) == app.CodeNotFound || app.CodeOf(err) == app.CodeInvalidField {
		return "none", nil
	}
	return cred.ID, err
}

// days reads two days, both included, as [from, to). What is no day is emptied: a date field can't show it, and browsers complain.
func days(first, last *string) (from, to time.Time, found components.Problems) {
	found = components.Problems{}
	day := func(field string, text *string) time.Time {
		if *text == "" {
			return time.Time{}
		}
		at, err := time.Parse(time.DateOnly, *text)
		if err != nil {
			found[field] = `"` + app.Clip(*text, 20) + `" is no day. Write it like 2026-11-30.`
			*text = ""
		}
		return at
	}
	from, to = day("from", first), day("to", last)
	if !to.IsZero() {
		to = to.AddDate(0, 0, 1)
	}
	if !from.IsZero() && !to.IsZero() && !from.Before(to) {
		found["to"] = "This day is before the first one."
	}
	return from, to, found
}

// address is a path with the parameters that are not empty, in pairs of name and value.
func address(path string, pairs ...string) string {
	q := url.Values{}
	for i := 0; i < len(pairs); i += 2 {
		if pairs[i+1] != "" {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	if len(q) == 0 {
		return path
	}
	return path + "?" + q.Encode()
}

// executionsURL is a list, or a download of it, under a filter.
func executionsURL(path string, f executionview.Filter, more ...string) string {
	return address(path, append([]string{"text", f.Text, "profile", f.Profile, "status", string(f.Status), "from", f.From, "to", f.To, "credential", f.Credential, "host", f.Host}, more...)...)
}

func auditURL(path string, f auditview.Filter, more ...string) string {
	return address(path, append([]string{"actor", f.Actor, "action", f.Action, "subject", f.Subject, "from", f.From, "to", f.To}, more...)...)
}
