package executions

import (
	"context"
	"net/http"
	"net/url"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/runner"
	"github.com/computclaw/airlock/app/runner/hints"
	"github.com/computclaw/airlock/app/web/ui/uix"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

const maxEvents = 1000

func (h Handlers) showExecution(c echo.Context, x app.Execution) error {
	page, err := h.executionPage(c, x)
	if err != nil {
		return err
	}
	return h.Render(c, http.StatusOK, executionview.Execution(page), "execution")
}

// executionPage gathers everything about an execution.
func (h Handlers) executionPage(c echo.Context, x app.Execution) (page executionview.ExecutionPage, err error) {
	sh, profiles, err := h.Shell(c, "Execution "+format.ShortHandle(x.Handle), layout.SectionExecutions)
	if err != nil {
		return page, err
	}
	page = executionview.ExecutionPage{
		Shell: sh, Execution: x, Warnings: hints.Warnings(x), LLMWait: h.Engine.Timeouts.Answer,
	}
	var profile app.Profile
	if i := slices.IndexFunc(profiles, func(p app.Profile) bool { return p.Handle == x.ProfileHandle }); i >= 0 {
		profile = profiles[i]
		page.ProfileURL, page.Hosts = paths.ProfileURL(profile.Handle), profile.Hosts
	}
	ctx := c.Request().Context()
	if err := h.fillExecution(ctx, &page); err != nil {
		return page, err
	}
	page.Obstacles = obstacles(page, profile)
	if name := c.QueryParam("preview"); name != "" {
		page.Files.Preview, err = h.preview(ctx, x.Handle, name)
	}
	return page, err
}

func (h Handlers) fillExecution(ctx context.Context, page *executionview.ExecutionPage) (err error) {
	x, read := page.Execution, h.Engine.Reader
	if page.Script, page.Inputs, err = read.ReadSubmitted(ctx, x.Handle); err != nil {
		return err
	}
	if x.RerunOf != "" {
		if err := h.compareWithOriginal(ctx, page); err != nil {
			return err
		}
	}
	if page.Exchanges, err = read.Exchanges(ctx, x.Handle); err != nil {
		return err
	}
	if page.Network, err = read.Network(ctx, x.Handle); err != nil {
		return err
	}
	if page.Redactions, err = read.Redactions(ctx, x.Handle); err != nil {
		return err
	}
	if page.Files, err = h.files(ctx, x.Handle); err != nil {
		return err
	}
	if !x.Status.Terminal() {
		page.Output, _ = read.LiveOutput(x.Handle)
	} else if page.Output, err = read.Output(ctx, x.Handle); err != nil {
		return err
	}
	return h.addEvents(ctx, page)
}

// compareWithOriginal compares a re-run with its original.
func (h Handlers) compareWithOriginal(ctx context.Context, page *executionview.ExecutionPage) error {
	c, err := h.Engine.Reader.Compare(ctx, page.Execution)
	if err == nil && c.SameResult != nil {
		page.Changes, err = h.Engine.Reader.PolicyChanges(ctx, c.Original, page.Execution)
	}
	page.Repeat = (*executionview.Repeat)(&c)
	return err
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

func (h Handlers) cancelByPerson(c echo.Context, x app.Execution) error {
	_, err := h.Engine.Controller.Cancel(c.Request().Context(), x.ID, uix.Actor(c))
	if app.CodeOf(err) == app.CodeAlreadyEnded { // it ended by itself while the person decided
		return h.Done(c, "", paths.ExecutionURL(x.Handle))
	}
	if err != nil {
		return err
	}
	return h.Done(c, "cancelled", paths.ExecutionURL(x.Handle))
}

// answerByPerson sends a waiting script its answer or error.
func (h Handlers) answerByPerson(c echo.Context, x app.Execution, fields url.Values) (err error) {
	text := fields.Get("response")
	answer := runner.Answer{RequestID: fields.Get("request"), Text: text, By: uix.Actor(c)}
	if fields.Get("as") == "failure" {
		answer.Text, answer.Failure = "", text
	}
	if text == "" {
		err = app.Invalid("response", "the answer is empty", "Type what the script is to get.")
	} else {
		_, err = h.Engine.Controller.Respond(c.Request().Context(), x.ID, answer)
	}
	switch app.CodeOf(err) {
	case "":
		return h.Done(c, "answered", paths.ExecutionURL(x.Handle))
	case app.CodeNotWaiting, app.CodeRequestMismatch, app.CodeAlreadyEnded:
		err = app.E(app.CodeConflict, "the script no longer waits for this answer",
			"Somebody else answered first, or the execution has ended.")
	}
	found, err := uix.Problems(err, map[string]string{"response": "response", "error": "response"})
	if err != nil {
		return err
	}
	if x, err = h.Engine.Reader.ByHandle(c.Request().Context(), x.Handle); err != nil { // it may have ended
		return err
	}
	page, err := h.executionPage(c, x)
	if err != nil {
		return err
	}
	page.Problems, page.Answer = found, text
	return h.Render(c, http.StatusUnprocessableEntity, executionview.Execution(page))
}
