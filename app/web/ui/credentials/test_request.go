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

// TestsPerMinute bounds the test requests that one address makes Airlock send.
const TestsPerMinute = 10

// checkForm is the form of a test as a page first shows it. The path is that of the service which the
// credential is named after, if its value may go there.
func checkForm(c app.Credential) credentialview.CheckForm {
	f := credentialview.CheckForm{Targets: testrequest.Targets(c), Wildcards: testrequest.Wildcards(c)}
	if s, ok := app.ServiceOf(c.Name); ok && len(f.Targets) > 0 && f.Targets[0] == s.Host+":443" {
		f.Path = s.Path
	}
	return f
}

// testCredential sends a test request and shows its outcome on the credential's page. Nothing is
// kept of it but what the list shows, so there is nowhere to lead on to.
func (h *Handlers) testCredential(c echo.Context, cred app.Credential, fields url.Values) error {
	ctx := c.Request().Context()
	typed := checkForm(cred)
	typed.Target, typed.Host = fields.Get("target"), strings.TrimSpace(fields.Get("test_host"))
	typed.Path, typed.Private = strings.TrimSpace(fields.Get("test_path")), fields.Get("test_private") != ""
	typed.As, typed.AsName = fields.Get("test_as"), strings.TrimSpace(fields.Get("test_as_name"))
	err := h.tests.Allow(c)
	var result testrequest.Result
	if err == nil {
		result, err = h.tester.TestCredential(ctx, uix.Actor(c), testrequest.Request{
			Name: cred.Name, Host: chosenTarget(typed), Path: typed.Path, Private: typed.Private, As: placementOf(typed),
		})
	}
	status := http.StatusOK
	if err == nil {
		typed.Outcome = &result
		cred, err = h.Access.Credentials.ByName(ctx, cred.Name) // it carries the time of the test now
	} else {
		status = http.StatusUnprocessableEntity
		typed.Problems, err = uix.Problems(err, map[string]string{
			"host": hostField(typed), "path": "test_path", "header": "test_as_name", "user": "test_as_name",
		})
	}
	if err != nil {
		return err
	}
	page, err := h.credentialPage(c, cred)
	if err != nil {
		return err
	}
	page.Check = typed
	c.Response().Header().Set("HX-Push-Url", "false")
	return h.Render(c, status, credentialview.Credential(page))
}

// chosenTarget is the host that a person named, else the one that they chose.
func chosenTarget(f credentialview.CheckForm) string {
	if f.Host != "" {
		return f.Host
	}
	return f.Target
}

// placementOf is how a test sends the value. A custom header without a name is one that the test
// refuses.
func placementOf(f credentialview.CheckForm) testrequest.Placement {
	switch f.As {
	case "basic":
		return testrequest.Placement{Basic: true, User: f.AsName}
	case "header":
		return testrequest.Placement{Header: cmp.Or(f.AsName, "?")}
	}
	return testrequest.Placement{}
}

// hostField is the field that a message about the host belongs to.
func hostField(f credentialview.CheckForm) string {
	if f.Host != "" || len(f.Targets) == 0 {
		return "test_host"
	}
	return "target"
}
