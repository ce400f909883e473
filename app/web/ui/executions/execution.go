package executions

import (
	"context"
	"maps"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/runner/hints"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

const maxEvents = 1000

func (h Handlers) showExecution(c echo.Context) error {
	page, err := h.executionPage(c)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, executionview.Execution(page), "execution")
}

// executionPage gathers everything about the path's execution.
func (h Handlers) executionPage(c echo.Context) (executionview.ExecutionPage, error) {
	ctx, handle := c.Request().Context(), c.Param("handle")
	x, err := h.Engine.Reader.ByHandle(ctx, handle)
	if err != nil {
		return executionview.ExecutionPage{}, err
	}
	httpx.LogExecution(c, x.Handle)
	sh, profiles, err := h.Shell(c, "Execution "+format.ShortHandle(x.Handle), layout.SectionExecutions)
	if err != nil {
		return executionview.ExecutionPage{}, err
	}
	page := executionview.ExecutionPage{
		Shell: sh, Execution: x, Warnings: hints.Warnings(x), LLMWait: h.Engine.Timeouts.Answer,
		ListRules: []string{rules.NotListed, rules.Port},
	}
	var profile app.Profile
	for _, p := range profiles {
		if p.Handle == x.ProfileHandle {
			profile, page.ProfileURL, page.Hosts = p, paths.ProfileURL(p.Handle), p.Hosts
		}
	}
	if err := h.fillExecution(ctx, &page); err != nil {
		return executionview.ExecutionPage{}, err
	}
	page.Obstacles = obstacles(page, profile)
	if err := h.addEvents(ctx, &page); err != nil {
		return executionview.ExecutionPage{}, err
	}
	if name := c.QueryParam("preview"); name != "" {
		page.Files.Preview, err = h.preview(ctx, x.Handle, name)
	}
	return page, err
}

func (h Handlers) fillExecution(ctx context.Context, page *executionview.ExecutionPage) (err error) {
	x := page.Execution
	if page.Script, page.Inputs, err = h.Engine.Reader.Submitted(ctx, x.Handle); err != nil {
		return err
	}
	if x.RerunOf != "" {
		if page.Repeat, err = h.repeat(ctx, x); err != nil {
			return err
		}
	}
	if page.Exchanges, err = h.Engine.Reader.Exchanges(ctx, x.Handle); err != nil {
		return err
	}
	if page.Network, err = h.Engine.Reader.Network(ctx, x.Handle); err != nil {
		return err
	}
	if page.Redactions, err = h.redactions(ctx, x.Handle); err != nil {
		return err
	}
	if page.Files, err = h.files(ctx, x.Handle); err != nil {
		return err
	}
	var out app.Output
	if x.Status.Terminal() {
		if out, err = h.Engine.Reader.Output(ctx, x.Handle); err != nil {
			return err
		}
	} else {
		out, _ = h.Engine.Reader.LiveOutput(x.Handle)
	}
	page.Stdout, page.Stderr, page.Result, page.Turns = out.Stdout, out.Stderr, out.Result, out.Turns
	return nil
}

// addEvents adds the execution's audit events, oldest first.
func (h Handlers) addEvents(ctx context.Context, page *executionview.ExecutionPage) (err error) {
	if page.Chain, err = h.Access.Audit.State(ctx, false); err != nil {
		return err
	}
	page.Events, err = h.Access.Audit.List(ctx, audit.Filter{Subject: page.Execution.Handle, Limit: maxEvents})
	slices.Reverse(page.Events)
	return err
}

// redactions lists the masked channels in the page's order.
func (h Handlers) redactions(ctx context.Context, handle string) (list []executionview.Redaction, err error) {
	hits, err := h.Engine.Reader.Redactions(ctx, handle)
	if err != nil {
		return nil, err
	}
	for _, channel := range executionview.Channels(slices.Collect(maps.Keys(hits))) {
		for _, h := range hits[channel] {
			list = append(list, executionview.Redaction{
				Channel: channel, Name: h.Name, Rule: h.Rule, NotGiven: h.Rule == redact.RuleNotGiven,
				Encoding: h.Encoding, Count: h.Count,
			})
		}
	}
	return list, nil
}

func (h Handlers) cancelByPerson(c echo.Context) error {
	ctx := c.Request().Context()
	x, err := h.Engine.Reader.ByHandle(ctx, c.Param("handle"))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
	_, err = h.Engine.Controller.Cancel(ctx, x.ID, uix.Actor(c))
	if app.CodeOf(err) == app.CodeAlreadyEnded { // it ended by itself while the person decided
		return h.Done(c, "", paths.ExecutionURL(x.Handle))
	}
	if err != nil {
		return err
	}
	return h.Done(c, "cancelled", paths.ExecutionURL(x.Handle))
}

// answerByPerson sends a waiting script its answer or error.
func (h Handlers) answerByPerson(c echo.Context, fields url.Values) error {
	ctx, text := c.Request().Context(), fields.Get("response")
	x, err := h.Engine.Reader.ByHandle(ctx, c.Param("handle"))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
	answer := runner.Answer{RequestID: fields.Get("request"), Text: text, By: uix.Actor(c)}
	if fields.Get("as") == "failure" {
		answer.Text, answer.Failure = "", text
	}
	if text == "" {
		err = app.Invalid("response", "the answer is empty", "Type what the script is to get.")
	} else {
		_, err = h.Engine.Controller.Respond(ctx, x.ID, answer)
	}
	if err == nil {
		return h.Done(c, "answered", paths.ExecutionURL(x.Handle))
	}
	switch app.CodeOf(err) {
	case app.CodeNotWaiting, app.CodeRequestMismatch, app.CodeAlreadyEnded:
		err = app.E(app.CodeConflict, "the script no longer waits for this answer",
			"Somebody else answered first, or the execution has ended.")
	}
	found, err := uix.Problems(err, map[string]string{"response": "response", "error": "response"})
	if err != nil {
		return err
	}
	page, err := h.executionPage(c)
	if err != nil {
		return err
	}
	page.Problems, page.Answer = found, text
	return h.Render(c, http.StatusUnprocessableEntity, executionview.Execution(page))
}
