package executions

import (
	"context"
	"encoding/json"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/paths"
)

// rerunByPerson repeats an execution with the form's inputs and time.
func (h Handlers) rerunByPerson(c echo.Context, x app.Execution, fields url.Values) error {
	ctx := c.Request().Context()
	again := appexecutions.Again{Live: fields.Get("live") == "on", By: uix.Actor(c), Trace: httpx.TraceID(c)}
	if typed := strings.TrimSpace(fields.Get("timeout")); typed != "" {
		seconds, err := strconv.ParseFloat(typed, 64)
		if err != nil {
			seconds = math.NaN() // refused with the bounds
		}
		again.Timeout = &seconds
	}
	var err error
	if again.Inputs, err = h.changedInputs(ctx, x.Handle, strings.TrimSpace(fields.Get("inputs"))); err != nil {
		return err
	}
	repeat, err := h.Engine.Submitter.Rerun(ctx, x.Handle, again)
	if err != nil {
		return h.refuseRerun(c, x, fields, err)
	}
	httpx.LogExecution(c, repeat.Handle)
	if err := h.Access.Audit.Note(ctx, again.By, "execution.rerun", repeat.Handle,
		"Submitted "+x.Handle+" again."); err != nil {
		return err
	}
	return h.Done(c, "rerun", paths.ExecutionURL(repeat.Handle))
}

// changedInputs returns the typed inputs, or nil if empty or unchanged.
func (h Handlers) changedInputs(ctx context.Context, handle, typed string) (json.RawMessage, error) {
	if typed == "" {
		return nil, nil
	}
	_, inputs, err := h.Engine.Reader.ReadSubmitted(ctx, handle)
	if err != nil || typed == strings.TrimSpace(executionview.Indent(inputs)) {
		return nil, err
	}
	return json.RawMessage(typed), nil
}

// refuseRerun shows the page with the typed fields.
func (h Handlers) refuseRerun(c echo.Context, x app.Execution, typed url.Values, refused error) error {
	found, err := uix.Problems(refused, map[string]string{"inputs": "rerun-inputs", "timeout": "rerun-timeout"})
	if err != nil || found.Of("") != "" {
		return refused
	}
	page, err := h.executionPage(c, x)
	if err != nil {
		return err
	}
	page.Problems, page.TypedInputs, page.TypedTimeout = found, typed.Get("inputs"), typed.Get("timeout")
	return h.Render(c, http.StatusUnprocessableEntity, executionview.Execution(page))
}
