package executions

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"strings"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/paths"
)

// rerunByPerson runs an execution again, with other inputs if the form has some, and leads to the
// new one.
func (h Handlers) rerunByPerson(c echo.Context, fields url.Values) error {
	ctx, typed := c.Request().Context(), strings.TrimSpace(fields.Get("inputs"))
	httpx.LogExecution(c, c.Param("handle"))
	inputs, err := h.changedInputs(ctx, c.Param("handle"), typed)
	if err != nil {
		return err
	}
	again, err := h.Engine.Submitter.Rerun(ctx, c.Param("handle"),
		appexecutions.Again{Inputs: inputs, Live: fields.Get("live") == "on", By: uix.Actor(c), Trace: httpx.TraceID(c)})
	if err != nil && typed != "" {
		return h.refuseRerun(c, typed, err)
	}
	if err != nil {
		return err
	}
	httpx.LogExecution(c, again.Handle)
	if err := h.Access.Audit.Note(ctx, uix.Actor(c), "execution.rerun", again.Handle,
		"Submitted "+c.Param("handle")+" again."); err != nil {
		return err
	}
	return h.Done(c, "rerun", paths.ExecutionURL(again.Handle))
}

// changedInputs returns what a person typed as inputs; nil if that is what the form showed, or
// nothing.
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

// refuseRerun shows the execution's page again with the inputs as they were typed.
func (h Handlers) refuseRerun(c echo.Context, typed string, refused error) error {
	found, err := uix.Problems(refused, map[string]string{"inputs": "rerun-inputs"})
	if err != nil {
		return err
	}
	page, err := h.executionPage(c)
	if err != nil {
		return err
	}
	page.Problems, page.TypedInputs = found, typed
	return h.Render(c, http.StatusUnprocessableEntity, executionview.Execution(page))
}

// repeat is what the page of a re-run says about its original.
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
		r.Before = executionview.Indent(out.Result)
	}
	return r, err
}
