package api

import (
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/web/httpx"
)

type included struct{ script, inputs bool }

// readInclude reads ?include=script,inputs,label. It requires the profile's own bearer: logs and
// other agents may hold an execution's id.
func readInclude(c echo.Context) (in included, err error) {
	text := c.QueryParam("include")
	if text == "" {
		return in, nil
	}
	for name := range strings.SplitSeq(text, ",") {
		switch name {
		case "script":
			in.script = true
		case "inputs":
			in.inputs = true
		case "label": // it always is
		default:
			return in, httpx.FieldError(app.CodeInvalidField, "include",
				"include knows script and inputs, not "+app.Clip(name, 40), "Send ?include=script,inputs.")
		}
	}
	if token, err := bearerID(c); err != nil || token == "" {
		return in, app.E(app.CodeUnauthorized, "include needs the profile that the execution belongs to", bearerHint)
	}
	return in, nil
}

// viewWith shows an execution with its script and inputs, redacted as for people.
func (h *Handlers) viewWith(c echo.Context, x app.Execution, in included) (executionView, error) {
	ctx := c.Request().Context()
	v, err := h.viewAll(c, x)
	if err != nil {
		return v, err
	}
	script, inputs, err := h.Engine.Reader.ReadSubmitted(ctx, x.Handle)
	if in.script {
		v.Script = script
	}
	if in.inputs {
		v.Inputs = inputs
	}
	return v, err
}
