package executions

import (
	"context"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
)

// executionFilter reads a search from the URL. It returns problems of mistyped fields.
func (h Handlers) executionFilter(
	c echo.Context,
) (typed executionview.Filter, f appexecutions.Filter, found components.Problems, err error) {
	ask := func(name string) string { return strings.TrimSpace(c.QueryParam(name)) }
	typed = executionview.Filter{
		Text: app.Clip(ask("text"), 200), Profile: ask("profile"), From: ask("from"), To: ask("to"),
		Credential: ask("credential"), Host: hostTyped(ask("host")),
		Label: app.Clip(ask("label"), app.MaxLabel), Skill: app.Clip(ask("skill"), app.MaxLabel),
	}
	if text := ask("status"); text != "" {
		if typed.Status, err = app.ParseStatus(text); err != nil {
			return typed, f, nil, err
		}
	}
	f = appexecutions.Filter{
		ProfileHandle: typed.Profile, Status: typed.Status, Text: typed.Text, Host: typed.Host,
		Label: typed.Label, Skill: typed.Skill, Before: c.QueryParam("before"),
	}
	if f.From, f.To, found = uix.ParseDays(&typed.From, &typed.To); len(found) > 0 {
		return typed, f, found, nil
	}
	if typed.Credential != "" {
		f.Credential, err = h.credentialID(c.Request().Context(), typed.Credential)
	}
	return typed, f, nil, err
}

// hostTyped turns a pasted URL or name with port into the ledger's form.
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

// credentialID returns a credential's id by name. An unknown name gives an unused id.
func (h Handlers) credentialID(ctx context.Context, name string) (string, error) {
	cred, err := h.Access.Credentials.ByName(ctx, name)
	if app.CodeOf(err) == app.CodeNotFound || app.CodeOf(err) == app.CodeInvalidField {
		return "none", nil
	}
	return cred.ID, err
}

// executionsURL returns the address of a filtered list or download.
func executionsURL(path string, f executionview.Filter, more ...string) string {
	return uix.Address(path, append([]string{
		"text", f.Text, "profile", f.Profile, "status", string(f.Status), "from", f.From, "to", f.To, "credential",
		f.Credential, "host", f.Host, "label", f.Label, "skill", f.Skill,
	}, more...)...)
}
