package credentials

import (
	"cmp"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/credentialview"
)

// checkForm returns a new test form. Its path is the named service's, if the value may go there.
func checkForm(c app.Credential) credentialview.CheckForm {
	f := credentialview.CheckForm{Targets: testrequest.Targets(c), Wildcards: testrequest.Wildcards(c)}
	if s, ok := app.ServiceOf(c.Name); ok && len(f.Targets) > 0 && f.Targets[0] == s.Host+":443" {
		f.Typed = url.Values{"test_path": {s.Path}}
	}
	return f
}

// testCredential sends a test request and shows the outcome. Only the list keeps it, so there is no
// redirect.
func (h *Handlers) testCredential(c echo.Context, cred app.Credential, fields url.Values) error {
	ctx := c.Request().Context()
	form := checkForm(cred)
	form.Typed = fields
	host, hostField := fields.Get("target"), "target"
	if named := strings.TrimSpace(fields.Get("test_host")); named != "" || len(form.Targets) == 0 {
		host, hostField = named, "test_host"
	}
	result, err := h.Tester.TestCredential(ctx, uix.Actor(c), testrequest.Request{
		Name: cred.Name, Host: host, Path: strings.TrimSpace(fields.Get("test_path")),
		Private: fields.Has("test_private"), As: placementOf(fields),
	})
	status := http.StatusOK
	if err == nil {
		form.Outcome = &result
		cred, err = h.Access.Credentials.ByName(ctx, cred.Name) // it carries the time of the test now
	} else {
		status = http.StatusUnprocessableEntity
		form.Problems, err = uix.Problems(err, map[string]string{
			"host": hostField, "path": "test_path", "header": "test_as_name", "user": "test_as_name",
		})
	}
	if err != nil {
		return err
	}
	page, err := h.credentialPage(c, cred)
	if err != nil {
		return err
	}
	page.Check = form
	c.Response().Header().Set("HX-Push-Url", "false")
	return h.Render(c, status, credentialview.Credential(page))
}

// placementOf returns how a test sends the value. The test refuses an unnamed custom header.
func placementOf(fields url.Values) testrequest.Placement {
	name := strings.TrimSpace(fields.Get("test_as_name"))
	switch fields.Get("test_as") {
	case "basic":
		return testrequest.Placement{Basic: true, User: name}
	case "header":
		return testrequest.Placement{Header: cmp.Or(name, "?")}
	}
	return testrequest.Placement{}
}
