package api

import (
	"context"
	"fmt"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/web/httpx"
)

// readExecution answers GET /executions/{id}.
func (h *Handlers) readExecution(c echo.Context) error {
	wait, err := httpx.WaitQuery(c, "include")
	if err != nil {
		return err
	}
	include, err := readInclude(c)
	if err != nil {
		return err
	}
	x, err := h.executionOf(c)
	if err != nil {
		return err
	}
	if wait > 0 {
		if x, err = h.awaitExecution(c, x, wait); err != nil {
			return err
		}
	}
	if include == (included{}) {
		return h.answerExecution(c, x)
	}
	return h.Answers.JSON(c, x.ProfileHandle, false, func() (any, error) { return h.viewWith(c, x, include) })
}

// awaitExecution returns the execution when it ends, asks the LLM, or after atMost.
func (h *Handlers) awaitExecution(c echo.Context, x app.Execution, atMost time.Duration) (app.Execution, error) {
	if x.Status.Terminal() {
		return x, nil
	}
	httpx.ReleaseBody(c)
	if !h.Waits.Enter(x.ProfileHandle) {
		return x, httpx.ErrBusy
	}
	defer h.Waits.Leave(x.ProfileHandle)
	// Draining ends the wait, but not the read after it.
	ctx, cancel := h.Drain.ContextWithTimeout(c.Request().Context(), atMost)
	defer cancel()
	now, err := h.Engine.Reader.Await(ctx, x, atMost)
	if err != nil && ctx.Err() != nil && c.Request().Context().Err() == nil {
		return h.Engine.Reader.ByID(c.Request().Context(), x.ID)
	}
	return now, err
}

// answerExecution shows an execution, with output if terminal.
func (h *Handlers) answerExecution(c echo.Context, x app.Execution) error {
	return h.Answers.JSON(c, x.ProfileHandle, h.Engine.Reader.IsSmall(x), func() (any, error) {
		v, err := h.viewAll(c, x)
		h.advise(c, x, v.Network)
		return v, err
	})
}

func (h *Handlers) viewAll(c echo.Context, x app.Execution) (v executionView, err error) {
	ctx := c.Request().Context()
	v = viewExecution(x)
	v.NextStep = h.nextStep(c, x)
	if v.Rerun, err = h.viewRerun(ctx, x); err != nil {
		return v, err
	}
	if x.Status == app.StatusPending {
		paused, err := h.Access.Switches.ReadPause(ctx)
		if err != nil {
			return v, err
		}
		v.Paused = paused.On()
	}
	if !x.Status.Terminal() {
		return h.viewUnended(ctx, x, v)
	}
	if x.Redactions > 0 {
		hits, err := h.Engine.Reader.Redactions(ctx, x.Handle)
		if err != nil {
			return v, err
		}
		v.Masked = viewMasked(hits)
	}
	if v.Artifacts, err = h.viewArtifacts(ctx, h.Origins.BaseURL(c.Request()), x); err != nil {
		return v, err
	}
	out, network, err := h.Engine.Reader.ReadEnded(ctx, x)
	return v.withOutput(x, out, network), err
}

// viewUnended adds progress and output so far.
func (h *Handlers) viewUnended(ctx context.Context, x app.Execution, v executionView) (executionView, error) {
	v.Phase = h.Engine.Reader.Phase(x)
	out, ok, err := h.Engine.Reader.OutputSoFar(ctx, x)
	if ok && !x.StartedAt.IsZero() {
		v.Stdout, v.Stderr = &out.Stdout, &out.Stderr
	}
	return v, err
}

type executionsView struct {
	Executions []executionView `json:"executions"`
	Next       *string         `json:"next" about:"URL of older ones"`
}

// listExecutions answers GET /executions: the bearer's own, newest first, without output.
func (h *Handlers) listExecutions(c echo.Context) error {
	if err := httpx.KnownQuery(c, "limit", "before", "status", "label", "skill"); err != nil {
		return err
	}
	p, err := h.bearer(c)
	if err != nil {
		return err
	}
	if p.Revoked {
		return p.CanUse(h.Now())
	}
	filter, err := readFilter(c)
	if err != nil {
		return err
	}
	filter.ProfileHandle = p.Handle
	base := h.Origins.BaseURL(c.Request())
	return h.Answers.JSON(c, p.Handle, false, func() (any, error) {
		return h.page(c.Request().Context(), filter, base)
	})
}

func (h *Handlers) page(ctx context.Context, filter appexecutions.Filter, base string) (executionsView, error) {
	view := executionsView{Executions: []executionView{}}
	list, more, err := h.Engine.Reader.List(ctx, filter)
	if err != nil {
		return view, err
	}
	for _, x := range list {
		view.Executions = append(view.Executions, viewListed(x))
	}
	if more && len(list) > 0 {
		query := url.Values{"before": {list[len(list)-1].Handle}, "limit": {strconv.Itoa(filter.Limit)}}
		if filter.Status != "" {
			query.Set("status", string(filter.Status))
		}
		if filter.Label != "" {
			query.Set("label", filter.Label)
		}
		if filter.Skill != "" {
			query.Set("skill", filter.Skill)
		}
		next := base + "/executions?" + query.Encode()
		view.Next = &next
	}
	return view, nil
}

func readFilter(c echo.Context) (appexecutions.Filter, error) {
	f := appexecutions.Filter{Limit: app.DefaultPage, Before: c.QueryParam("before"), Label: c.QueryParam("label"),
		Skill: c.QueryParam("skill")}
	if err := app.CheckLabel(f.Label); err != nil {
		return f, err
	}
	if f.Before != "" && !app.IsID(f.Before) {
		return f, httpx.FieldError(app.CodeInvalidField, "before", "invalid cursor in before",
			"Call the URL in next as it is, or send the before that stands in it.")
	}
	if len(f.Skill) > app.MaxLabel {
		return f, httpx.FieldError(app.CodeInvalidField, "skill", "that is longer than any skill's name",
			"Send NAME, or NAME@NUMBER for one version.")
	}
	if text := c.QueryParam("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > app.MaxPage {
			return f, httpx.FieldError(app.CodeInvalidField, "limit",
				fmt.Sprintf("limit must be a whole number from 1 to %d", app.MaxPage),
				fmt.Sprintf("Leave it out for %d, and follow next for more.", app.DefaultPage))
		}
		f.Limit = n
	}
	if text := c.QueryParam("status"); text != "" {
		status, err := app.ParseStatus(text)
		if err != nil {
			return f, err
		}
		f.Status = status
	}
	return f, nil
}

// respond answers POST /executions/{id}/respond with the LLM's text, or a failure that raises
// llm.Error. With ?wait= it returns at the next question or the end.
func (h *Handlers) respond(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	x, err := h.executionOf(c)
	if err != nil {
		return err
	}
	answer, err := readAnswer(c)
	if err != nil {
		return err
	}
	answer.By = agent(c, x.ProfileHandle)
	if x, err = h.Engine.Controller.Respond(c.Request().Context(), x.ID, answer); err != nil {
		return err
	}
	if x, err = h.awaitIfFree(c, x, wait); err != nil {
		return err
	}
	return h.answerDone(c, x)
}

func readAnswer(c echo.Context) (runner.Answer, error) {
	var in struct {
		Response  *string `in:"response"`
		Error     *string `in:"error"`
		RequestID string  `in:"request_id"`
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return runner.Answer{}, err
	}
	const hint = `Send {"response":"the LLM's text"}, or {"error":"why there is none"} ` +
		"to raise llm.Error in the script."
	switch {
	case (in.Response == nil) == (in.Error == nil):
		return runner.Answer{}, app.Invalid("response", "exactly one of response and error must be given", hint)
	case in.Error != nil && *in.Error == "":
		return runner.Answer{}, app.Invalid("error", "error is empty", hint)
	case in.Error != nil:
		return runner.Answer{RequestID: in.RequestID, Failure: *in.Error}, nil
	}
	return runner.Answer{RequestID: in.RequestID, Text: *in.Response}, nil
}

// cancel answers POST /executions/{id}/cancel.
func (h *Handlers) cancel(c echo.Context) error {
	x, err := h.executionOf(c)
	if err != nil {
		return err
	}
	if err := httpx.ReadOptionalJSON(c, &struct{}{}); err != nil {
		return err
	}
	if x, err = h.Engine.Controller.Cancel(c.Request().Context(), x.ID, agent(c, x.ProfileHandle)); err != nil {
		return err
	}
	return h.answerDone(c, x)
}
