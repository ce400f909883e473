package executions

import (
	"context"
	"net/url"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/components"
)

// executionFilter reads a search from the URL. It returns problems of mistyped fields.
func (h Handlers) executionFilter(
	c echo.Context,
) (q url.Values, f appexecutions.Filter, found components.Problems, err error) {
	q = uix.Query(c, "text", "profile", "status", "from", "to", "credential", "host", "label", "skill")
	if host, err := app.ParseHost(q.Get("host")); err == nil {
		q.Set("host", host.Name)
	}
	f = appexecutions.Filter{
		ProfileHandle: q.Get("profile"), Text: q.Get("text"), Host: q.Get("host"),
		Label: q.Get("label"), Skill: q.Get("skill"), Before: c.QueryParam("before"),
	}
	if text := q.Get("status"); text != "" {
		if f.Status, err = app.ParseStatus(text); err != nil {
			return q, f, nil, err
		}
	}
	if f.From, f.To, found = uix.ParseDays(q); len(found) > 0 {
		return q, f, found, nil
	}
	if name := q.Get("credential"); name != "" {
		f.Credential, err = h.credentialID(c.Request().Context(), name)
	}
	return q, f, nil, err
}

// credentialID returns a credential's id by name. An unknown name gives an unused id.
func (h Handlers) credentialID(ctx context.Context, name string) (string, error) {
	cred, err := h.Access.Credentials.ByName(ctx, name)
	if app.CodeOf(err) == app.CodeNotFound || app.CodeOf(err) == app.CodeInvalidField {
		return "none", nil
	}
	return cred.ID, err
}
