package web

import (
	"encoding/json"
	"errors"
	"fmt"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/app/web/httpx"
)

type executeInput struct {
	ProfileID string          `in:"profile_id"`
	Script    string          `in:"script,required"`
	Timeout   *float64        `in:"timeout"`
	Inputs    json.RawMessage `in:"inputs"`
}

type acceptedView struct {
	ExecutionID string     `json:"execution_id"`
	PollURL     string     `json:"poll_url"`
	Status      app.Status `json:"status"`
}

// execute answers POST /execute: 202 with where to poll, or with ?wait= 200 and the whole execution if it ended or waits for the LLM by then.
func (s *Server) execute(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	submission, err := s.readSubmission(c)
	if err != nil {
		return err
	}
	x, replayed, err := s.cfg.Engine.Submit(c.Request().Context(), submission)
	if app.CodeOf(err) == app.CodeNotFound {
		return errUnknownProfile()
	}
	if err != nil {
		return err
	}
	httpx.LogExecution(c, x.Handle)
	httpx.LogProfile(c, x.ProfileHandle)
	if replayed {
		c.Response().Header().Set("Idempotency-Replayed", "true")
	}
	return s.answerAccepted(c, x, wait)
}

// answerAccepted answers 202 with where to poll, or 200 with the whole execution if it ended or waits for the LLM within the wait.
func (s *Server) answerAccepted(c echo.Context, x app.Execution, wait time.Duration) error {
	x, err := s.awaitIfRoom(c, x, wait)
	if err != nil {
		return err
	}
	if wait > 0 && (x.Status.Terminal() || x.Status == app.StatusAwaitingLLM) {
		return s.answerDone(c, x)
	}
	return s.acceptedPlace(c, x)
}

// awaitIfRoom waits, for the answer to what took effect already: who is told to try again would do it twice. With no place to wait, it doesn't.
func (s *Server) awaitIfRoom(c echo.Context, x app.Execution, wait time.Duration) (app.Execution, error) {
	if wait == 0 {
		return x, nil
	}
	now, err := s.awaitExecution(c, x, wait)
	if errors.Is(err, httpx.ErrBusy) {
		return x, nil
	}
	return now, err
}

// answerDone answers 200 with the whole execution after what took effect already, or 202 with where to poll if there is no room for all of it.
func (s *Server) answerDone(c echo.Context, x app.Execution) error {
	if err := s.answerExecution(c, x); !errors.Is(err, httpx.ErrAnswers) {
		return err
	}
	return s.acceptedPlace(c, x)
}

func (s *Server) readSubmission(c echo.Context) (engine.Submission, error) {
	token, err := bearer(c)
	if err != nil {
		return engine.Submission{}, err
	}
	var in executeInput
	if err := httpx.ReadJSON(c, &in); err != nil {
		return engine.Submission{}, err
	}
	id, err := oneProfile(token, in.ProfileID)
	if err != nil {
		return engine.Submission{}, err
	}
	timeout, err := s.readTimeout(in.Timeout)
	if err != nil {
		return engine.Submission{}, err
	}
	switch {
	case in.Script == "":
		return engine.Submission{}, httpx.FieldError(app.CodeInvalidField, "script", "script is empty", "Send Python, such as \"set_result(1)\".")
	case len(in.Script) > app.MaxScript:
		return engine.Submission{}, httpx.FieldError(app.CodeTooLarge, "script", fmt.Sprintf("script is %d bytes; at most %d are allowed", len(in.Script), app.MaxScript), "Move data out of the script: send it as inputs, or fetch it from inside.")
	case len(in.Inputs) > app.MaxInputs:
		return engine.Submission{}, httpx.FieldError(app.CodeTooLarge, "inputs", fmt.Sprintf("inputs is %d bytes; at most %d are allowed", len(in.Inputs), app.MaxInputs), "Send less, and fetch large data from inside the script.")
	}
	key := c.Request().Header.Get("Idempotency-Key")
	if err := checkIdempotencyKey(key); err != nil {
		return engine.Submission{}, err
	}
	return engine.Submission{
		ProfileID: id, Script: in.Script, Inputs: in.Inputs, Timeout: timeout, IdempotencyKey: key,
		By: app.Actor{Kind: app.ActorAgent, Address: c.RealIP()}, Trace: httpx.TraceID(c),
	}, nil
}

// oneProfile is the profile that a request names, in its header, its body, or both alike.
func oneProfile(token, fromBody string) (string, error) {
	switch {
	case fromBody == "" && token == "":
		return "", app.E(app.CodeUnauthorized, "the request names no profile", "Send profile_id in the body, or Authorization: Bearer ark_…; POST /profiles creates one.")
	case fromBody == "":
		return token, nil
	case !app.IsProfileID(fromBody):
		return "", errUnknownProfile()
	case token != "" && !same(token, fromBody):
		return "", errTwoProfiles()
	}
	return fromBody, nil
}

// readTimeout checks the seconds an agent asks for; nil means the default, as 0.
func (s *Server) readTimeout(seconds *float64) (time.Duration, error) {
	if seconds == nil {
		return 0, nil
	}
	longest := s.cfg.TimeoutMax.Seconds()
	hint := fmt.Sprintf("Give seconds, more than 0 and at most %g, or leave it out for %g.", longest, s.cfg.TimeoutDefault.Seconds())
	switch n := *seconds; {
	case n < 0.001:
		return 0, httpx.FieldError(app.CodeInvalidField, "timeout", "timeout must be more than 0 seconds", hint)
	case n > longest:
		return 0, httpx.FieldError(app.CodeInvalidField, "timeout", fmt.Sprintf("timeout is over the cap of %g seconds", longest), hint)
	}
	return time.Duration(*seconds * float64(time.Second)), nil
}

// checkIdempotencyKey accepts what fits a header and a database column.
func checkIdempotencyKey(key string) error {
	bad := len(key) > 200
	for _, b := range []byte(key) {
		bad = bad || b < 0x21 || b > 0x7e
	}
	if bad {
		return httpx.FieldError(app.CodeInvalidField, "Idempotency-Key", "the Idempotency-Key header is not 1 to 200 printable ASCII characters without spaces", "Use a UUID, one for each execution that you mean.")
	}
	return nil
}
