package web

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/httpx"
)

// readExecution answers GET /executions/{id}.
func (s *Server) readExecution(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	x, err := s.pathExecution(c)
	if err != nil {
		return err
	}
	if wait > 0 {
		if x, err = s.awaitExecution(c, x, wait); err != nil {
			return err
		}
	}
	return s.answerExecution(c, x)
}

// awaitExecution returns the execution when it ends or waits for the LLM, or as it stands when the time is over.
func (s *Server) awaitExecution(c echo.Context, x app.Execution, atMost time.Duration) (app.Execution, error) {
	if x.Status.Terminal() {
		return x, nil
	}
	httpx.ReleaseBody(c)
	release, err := s.waits.Acquire(x.ProfileHandle, true)
	if err != nil {
		return x, err
	}
	defer release()
	// The drain ends the wait early but must not end the read that follows it, so it only shortens the time.
	ctx, cancel := s.drain.ContextWithTimeout(c.Request().Context(), atMost)
	defer cancel()
	now, err := s.cfg.Engine.Follow(ctx, x, atMost)
	if err != nil && ctx.Err() != nil && c.Request().Context().Err() == nil {
		return s.cfg.Engine.Execution(c.Request().Context(), x.ID)
	}
	return now, err
}

// answerExecution shows an execution, with its output if it is terminal.
func (s *Server) answerExecution(c echo.Context, x app.Execution) error {
	return s.answers.JSON(c, s.cfg.Engine.Little(x), func() (any, error) { return s.executionAnswer(c.Request().Context(), x) })
}

func (s *Server) executionAnswer(ctx context.Context, x app.Execution) (v executionView, err error) {
	v = viewExecution(x)
	if v.Rerun, err = s.compared(ctx, x); err != nil {
		return v, err
	}
	if x.Status == app.StatusPending {
		paused, err := s.cfg.Access.Paused(ctx)
		if err != nil {
			return v, err
		}
		v.Paused = paused.On()
	}
	if !x.Status.Terminal() {
		return v, nil
	}
	out, network, err := s.cfg.Engine.Ended(ctx, x)
	return v.withOutput(x, out, network), err
}

type executionsView struct {
	Executions []executionView `json:"executions"`
	Next       *string         `json:"next"` // where older ones are, or null
}

// listExecutions answers GET /executions: the bearer's own, newest first, without output.
func (s *Server) listExecutions(c echo.Context) error {
	if err := httpx.KnownQuery(c, "limit", "before", "status"); err != nil {
		return err
	}
	p, err := s.bearerProfile(c)
	if err != nil {
		return err
	}
	if p.Revoked {
		return p.CanUse(s.cfg.Now())
	}
	filter, err := readFilter(c)
	if err != nil {
		return err
	}
	filter.ProfileHandle = p.Handle
	base := s.origins.BaseURL(c.Request())
	return s.answers.JSON(c, false, func() (any, error) { return s.executionsAnswer(c.Request().Context(), filter, base) })
}

func (s *Server) executionsAnswer(ctx context.Context, filter engine.Filter, base string) (executionsView, error) {
	view := executionsView{Executions: []executionView{}}
	list, more, err := s.cfg.Engine.List(ctx, filter)
	if err != nil {
		return view, err
	}
	for _, x := range list {
		view.Executions = append(view.Executions, viewExecution(x))
	}
	if more && len(list) > 0 {
		query := url.Values{"before": {list[len(list)-1].Handle}, "limit": {strconv.Itoa(filter.Limit)}}
		if filter.Status != "" {
			query.Set("status", string(filter.Status))
		}
		next := base + "/executions?" + query.Encode()
		view.Next = &next
	}
	return view, nil
}

func readFilter(c echo.Context) (engine.Filter, error) {
	f := engine.Filter{Limit: 50, Before: c.QueryParam("before")}
	if f.Before != "" && !app.IsID(f.Before) {
		return f, httpx.FieldError(app.CodeInvalidField, "before", "before is not what a next has", "Call the URL in next as it is, or send the before that stands in it.")
	}
	if text := c.QueryParam("limit"); text != "" {
		n, err := strconv.Atoi(text)
		if err != nil || n < 1 || n > 100 {
			return f, httpx.FieldError(app.CodeInvalidField, "limit", "limit must be a whole number from 1 to 100", "Leave it out for 50, and follow next for more.")
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

// respond answers POST /executions/{id}/respond: the LLM's text, or a failure that raises llm.Error in the script. With ?wait= it returns
// at the next question or the end.
func (s *Server) respond(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	x, err := s.pathExecution(c)
	if err != nil {
		return err
	}
	answer, err := readAnswer(c)
	if err != nil {
		return err
	}
	answer.By = app.Actor{Kind: app.ActorAgent, Name: x.ProfileHandle, Address: c.RealIP()}
	if x, err = s.cfg.Engine.Respond(c.Request().Context(), x.ID, answer); err != nil {
		return err
	}
	if x, err = s.awaitIfRoom(c, x, wait); err != nil {
		return err
	}
	return s.answerDone(c, x)
}

func readAnswer(c echo.Context) (engine.Answer, error) {
	var in struct {
		Response  *string `in:"response"`
		Error     *string `in:"error"`
		RequestID string  `in:"request_id"`
	}
	if err := httpx.ReadJSON(c, &in); err != nil {
		return engine.Answer{}, err
	}
	const hint = `Send {"response":"the LLM's text"}, or {"error":"why there is none"} to raise llm.Error in the script.`
	switch {
	case (in.Response == nil) == (in.Error == nil):
		return engine.Answer{}, httpx.FieldError(app.CodeInvalidField, "response", "exactly one of response and error must be given", hint)
	case in.Error != nil && *in.Error == "":
		return engine.Answer{}, httpx.FieldError(app.CodeInvalidField, "error", "error is empty", hint)
	case in.Error != nil && len(*in.Error) > app.MaxFailure:
		return engine.Answer{}, httpx.FieldError(app.CodeTooLarge, "error", "the error is larger than 64 KiB", "Send a shorter one.")
	case in.Response != nil && len(*in.Response) > app.MaxResponse:
		return engine.Answer{}, httpx.FieldError(app.CodeTooLarge, "response", "the answer is larger than 1 MiB", "Send a shorter one.")
	case in.Error != nil:
		return engine.Answer{RequestID: in.RequestID, Failure: *in.Error}, nil
	}
	return engine.Answer{RequestID: in.RequestID, Text: *in.Response}, nil
}

// cancel answers POST /executions/{id}/cancel.
func (s *Server) cancel(c echo.Context) error {
	x, err := s.pathExecution(c)
	if err != nil {
		return err
	}
	if err := httpx.ReadOptionalJSON(c, &struct{}{}); err != nil {
		return err
	}
	by := app.Actor{Kind: app.ActorAgent, Name: x.ProfileHandle, Address: c.RealIP()}
	if x, err = s.cfg.Engine.Cancel(c.Request().Context(), x.ID, by); err != nil {
		return err
	}
	return s.answerDone(c, x)
}
