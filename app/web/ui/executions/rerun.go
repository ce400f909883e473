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

// rerunByPerson repeats an execution with the form's inputs, files and time.
func (h Handlers) rerunByPerson(c echo.Context) error {
	ctx := c.Request().Context()
	x, err := h.Engine.Reader.ByHandle(ctx, c.Param("handle"))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
	form, err := h.readRerun(c, x.ProfileHandle)
	if err != nil {
		return h.refuseRerun(c, form.fields, err)
	}
	again, err := h.submitAgain(c, x, form)
	if err != nil {
		return h.refuseRerun(c, form.fields, err)
	}
	httpx.LogExecution(c, again.Handle)
	if err := h.Access.Audit.Note(ctx, uix.Actor(c), "execution.rerun", again.Handle,
		"Submitted "+c.Param("handle")+" again."); err != nil {
		return err
	}
	return h.Done(c, "rerun", paths.ExecutionURL(again.Handle))
}

// submitAgain submits what a person chose.
func (h Handlers) submitAgain(c echo.Context, x app.Execution, form rerunForm) (app.Execution, error) {
	ctx := c.Request().Context()
	again := appexecutions.Again{Added: form.files, Live: form.fields.Get("live") == "on", By: uix.Actor(c),
		Trace: httpx.TraceID(c)}
	var err error
	if again.Inputs, err = h.changedInputs(ctx, x.Handle, strings.TrimSpace(form.fields.Get("inputs"))); err != nil {
		return x, err
	}
	if typed := strings.TrimSpace(form.fields.Get("timeout")); typed != "" {
		seconds, err := strconv.ParseFloat(typed, 64)
		if err != nil {
			seconds = math.NaN()
		}
		again.Timeout = &seconds
	}
	return h.Engine.Submitter.Rerun(ctx, x.Handle, again)
}

// changedInputs returns the typed inputs, or nil if empty or unchanged.
func (h Handlers) changedInputs(ctx context.Context, handle, typed string) (json.RawMessage, error) {
	if typed == "" {
		return nil, nil
	}
	_, inputs, err := h.Engine.Reader.Submitted(ctx, handle)
	if err != nil {
		return nil, err
	}
	if typed == strings.TrimSpace(executionview.RerunInputs(executionview.ExecutionPage{Inputs: inputs})) {
		return nil, nil
	}
	return json.RawMessage(typed), nil
}

// refuseRerun shows the page with the typed fields. Files must be chosen again.
func (h Handlers) refuseRerun(c echo.Context, typed url.Values, refused error) error {
	found, err := uix.Problems(refused,
		map[string]string{"inputs": "rerun-inputs", "files": "rerun-files", "timeout": "rerun-timeout"})
	if err != nil || found.Of("") != "" {
		return refused
	}
	page, err := h.executionPage(c)
	if err != nil {
		return err
	}
	page.Problems, page.TypedInputs, page.TypedTimeout = found, typed.Get("inputs"), typed.Get("timeout")
	return h.Render(c, http.StatusUnprocessableEntity, executionview.Execution(page))
}

// repeat describes a re-run's original.
func (h Handlers) repeat(ctx context.Context, x app.Execution) (*executionview.Repeat, error) {
	c, err := h.Engine.Reader.Compare(ctx, x)
	if err != nil || c.Gone {
		return &executionview.Repeat{Gone: true}, err
	}
	r := &executionview.Repeat{Original: c.Original, Same: c.SameResult, Differs: c.Differs}
	if c.SameResult == nil {
		return r, nil
	}
	if r.Policy, err = h.Engine.Reader.PolicyChanges(ctx, c.Original, x); err != nil {
		return nil, err
	}
	out, err := h.Engine.Reader.Output(ctx, c.Original.Handle)
	if err == nil && out.Result != nil {
		r.Before = executionview.IndentSorted(out.Result)
	}
	return r, err
}
