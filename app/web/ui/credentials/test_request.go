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

// TestsPerMinute bounds the test requests of one address.
const TestsPerMinute = 10

// checkForm returns a new test form. Its path is the named service's, if the value may go there.
func checkForm(c app.Credential) credentialview.CheckForm {
	f := credentialview.CheckForm{Targets: testrequest.Targets(c), Wildcards: testrequest.Wildcards(c)}
	if s, ok := app.ServiceOf(c.Name); ok && len(f.Targets) > 0 && f.Targets[0] == s.Host+":443" {
		f.Path = s.Path
	}
	return f
}

// testCredential sends a test request and shows the outcome. Only the list keeps it, so there is no
// redirect.
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

// chosenTarget returns the typed host, else the chosen one.
func chosenTarget(f credentialview.CheckForm) string {
	if f.Host != "" {
		return f.Host
	}
	return f.Target
}

// placementOf returns how a test sends the value. The test refuses an unnamed custom header.
func placementOf(f credentialview.CheckForm) testrequest.Placement {
	switch f.As {
	case "basic":
		return testrequest.Placement{Basic: true, User: f.AsName}
	case "header":
		return testrequest.Placement{Header: cmp.Or(f.AsName, "?")}
	}
	return testrequest.Placement{}
}

func hostField(f credentialview.CheckForm) string {
	if f.Host != "" || len(f.Targets) == 0 {
		return "test_host"
	}
	return "target"
}
