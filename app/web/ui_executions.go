package web

import (
	"context"
	"maps"
	"net/http"
	"slices"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/httpx"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func (s *Server) showExecutions(c echo.Context) error {
	ctx := c.Request().Context()
	typed, f, found, err := s.executionFilter(c)
	if err != nil {
		return err
	}
	sh, profiles, err := s.shell(c, "Executions", layout.SectionExecutions)
	if err != nil {
		return err
	}
	page := executionview.ListPage{Shell: sh, Filter: typed, First: f.Before == "" && len(found) == 0, Here: executionsURL(paths.Executions, typed), Problems: found,
		CSV: executionsURL(paths.ExecutionsExport, typed, "as", "csv"), Lines: executionsURL(paths.ExecutionsExport, typed, "as", "jsonl")}
	for _, p := range profiles {
		page.Profiles = append(page.Profiles, components.Choice{Value: p.Handle, Word: format.Title(p.Description)})
	}
	if page.Credentials, err = s.credentialNames(ctx); err != nil {
		return err
	}
	if len(found) > 0 {
		return s.render(c, http.StatusUnprocessableEntity, executionview.List(page))
	}
	list, err := s.cfg.Engine.Search(ctx, f)
	if err != nil {
		return err
	}
	page.Executions, page.Unfinished = list.Executions, list.Unfinished
	if list.Next != "" {
		page.Older = executionsURL(paths.Executions, typed, "before", list.Next)
	}
	return s.render(c, http.StatusOK, executionview.List(page), "list")
}

func (s *Server) credentialNames(ctx context.Context) ([]string, error) {
	credentials, err := s.cfg.Access.Credentials(ctx)
	if err != nil {
		return nil, err
	}
	names := make([]string, len(credentials))
	for i, one := range credentials {
		names[i] = one.Name
	}
	return names, nil
}

func (s *Server) showExecution(c echo.Context) error {
	page, err := s.executionPage(c)
	if err != nil {
		return err
	}
	return s.render(c, http.StatusOK, executionview.Execution(page), "execution")
}

// executionPage gathers what there is to see of the execution in the path.
func (s *Server) executionPage(c echo.Context) (executionview.ExecutionPage, error) {
	ctx, handle := c.Request().Context(), c.Param("handle")
	x, err := s.cfg.Engine.ByHandle(ctx, handle)
	if err != nil {
		return executionview.ExecutionPage{}, err
	}
	httpx.LogExecution(c, x.Handle)
	sh, profiles, err := s.shell(c, "Execution "+format.ShortHandle(x.Handle), layout.SectionExecutions)
	if err != nil {
		return executionview.ExecutionPage{}, err
	}
	page := executionview.ExecutionPage{Shell: sh, Execution: x, ListRules: []string{egress.RuleNotListed, egress.RulePort}}
	for _, p := range profiles {
		if p.Handle == x.ProfileHandle {
			page.ProfileURL, page.Hosts = paths.ProfileURL(p.Handle), p.Hosts
		}
	}
	return page, s.fillExecution(ctx, &page)
}

func (s *Server) fillExecution(ctx context.Context, page *executionview.ExecutionPage) (err error) {
	x := page.Execution
	if page.Script, err = s.cfg.Engine.Script(ctx, x.Handle); err != nil {
		return err
	}
	if x.RerunOf != "" {
		compared, err := s.cfg.Engine.Compare(ctx, x)
		if err != nil {
			return err
		}
		page.Repeat = repeatOf(compared)
	}
	if page.Exchanges, err = s.cfg.Engine.Exchanges(ctx, x.Handle); err != nil {
		return err
	}
	if page.Network, err = s.cfg.Engine.Network(ctx, x.Handle); err != nil {
		return err
	}
	if page.Redactions, err = s.redactions(ctx, x.Handle); err != nil {
		return err
	}
	var out app.Output
	if x.Status.Terminal() {
		if out, err = s.cfg.Engine.Output(ctx, x.Handle); err != nil {
			return err
		}
	} else {
		out, page.Live = s.cfg.Engine.LiveOutput(x.Handle)
	}
	page.Stdout, page.Stderr, page.Result, page.Turns = out.Stdout, out.Stderr, out.Result, out.Turns
	return nil
}

// redactions lists what was masked, in the order in which the page shows the channels.
func (s *Server) redactions(ctx context.Context, handle string) (list []executionview.Redaction, err error) {
	hits, err := s.cfg.Engine.Redactions(ctx, handle)
	if err != nil {
		return nil, err
	}
	for _, channel := range executionview.Channels(slices.Collect(maps.Keys(hits))) {
		for _, h := range hits[channel] {
			list = append(list, executionview.Redaction{Channel: channel, Name: h.Name, Rule: h.Rule, Encoding: h.Encoding, Count: h.Count})
		}
	}
	return list, nil
}

func (s *Server) backToExecution(c echo.Context) error {
	return c.Redirect(http.StatusSeeOther, paths.ExecutionURL(c.Param("handle")))
}

func (s *Server) cancelByPerson(c echo.Context) error {
	ctx := c.Request().Context()
	x, err := s.cfg.Engine.ByHandle(ctx, c.Param("handle"))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
	_, err = s.cfg.Engine.Cancel(ctx, x.ID, actorOf(c))
	if app.CodeOf(err) == app.CodeAlreadyEnded { // it ended by itself while the person decided
		return s.done(c, "", paths.ExecutionURL(x.Handle))
	}
	if err != nil {
		return err
	}
	return s.done(c, "cancelled", paths.ExecutionURL(x.Handle))
}

// answerByPerson sends a script the answer, or the error, that it waits for.
func (s *Server) answerByPerson(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	ctx, text := c.Request().Context(), fields.Get("response")
	x, err := s.cfg.Engine.ByHandle(ctx, c.Param("handle"))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
	answer := engine.Answer{RequestID: fields.Get("request"), Text: text, By: actorOf(c)}
	if fields.Get("as") == "failure" {
		answer.Text, answer.Failure = "", text
	}
	if text == "" {
		err = app.Invalid("response", "the answer is empty", "Type what the script is to get.")
	} else {
		_, err = s.cfg.Engine.Respond(ctx, x.ID, answer)
	}
	if err == nil {
		return s.done(c, "answered", paths.ExecutionURL(x.Handle))
	}
	switch app.CodeOf(err) {
	case app.CodeNotWaiting, app.CodeRequestMismatch, app.CodeAlreadyEnded:
		err = app.E(app.CodeConflict, "the script no longer waits for this answer", "Somebody else answered first, or the execution has ended.")
	}
	found, err := problems(err, map[string]string{"response": "response", "error": "response"})
	if err != nil {
		return err
	}
	page, err := s.executionPage(c)
	if err != nil {
		return err
	}
	page.Problems, page.Answer = found, text
	return s.render(c, http.StatusUnprocessableEntity, executionview.Execution(page))
}

// rerunByPerson runs an execution again and leads to the new one.
func (s *Server) rerunByPerson(c echo.Context) error {
	fields, err := form(c)
	if err != nil {
		return err
	}
	again, err := s.cfg.Engine.Rerun(c.Request().Context(), c.Param("handle"), fields.Get("live") == "on", actorOf(c), httpx.TraceID(c))
	if err != nil {
		return err
	}
	httpx.LogExecution(c, again.Handle)
	if err := s.cfg.Access.Note(c.Request().Context(), actorOf(c), "execution.rerun", again.Handle, "Submitted "+c.Param("handle")+" again."); err != nil {
		return err
	}
	return s.done(c, "rerun", paths.ExecutionURL(again.Handle))
}

// repeatOf is what the page of a re-run says about its original.
func repeatOf(c engine.Comparison) *executionview.Repeat {
	return &executionview.Repeat{Handle: c.Original.Handle, Gone: c.Gone, SameResult: c.SameResult, Differs: c.Differs}
}
