package api

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"time"

	"github.com/labstack/echo/v4"

	"github.com/computclaw/airlock/app"
	appexecutions "github.com/computclaw/airlock/app/executions"
	"github.com/computclaw/airlock/app/web/httpx"
)

type executeInput struct {
	ProfileID string            `in:"profile_id"`
	Script    string            `in:"script"`
	Skill     string            `in:"skill"`
	Timeout   *float64          `in:"timeout"`
	Inputs    json.RawMessage   `in:"inputs"`
	Label     string            `in:"label"`
	Files     map[string]string `in:"files"`
}

type acceptedView struct {
	ExecutionID string     `json:"execution_id"`
	PollURL     string     `json:"poll_url"`
	Status      app.Status `json:"status"`
	NextStep    string     `json:"next_step,omitempty" about:"in awaiting_approval: what to ask the person"`
}

// execute answers POST /execute, as answerAccepted does.
func (h *Handlers) execute(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	submission, err := readSubmission(c)
	if err != nil {
		return err
	}
	x, replayed, err := h.Engine.Submitter.Submit(c.Request().Context(), submission)
	if err != nil {
		return err
	}
	if replayed {
		c.Response().Header().Set("Idempotency-Replayed", "true")
	}
	return h.answerAccepted(c, x, wait)
}

// answerAccepted answers 202 with where to poll. It answers 200 with the execution if that ends or
// asks the LLM within the wait.
func (h *Handlers) answerAccepted(c echo.Context, x app.Execution, wait time.Duration) error {
	httpx.LogExecution(c, x.Handle)
	httpx.LogProfile(c, x.ProfileHandle)
	if x.Status == app.StatusAwaitingApproval {
		wait = 0 // the agent tells a person first
	}
	x, err := h.awaitIfFree(c, x, wait)
	if err != nil {
		return err
	}
	if wait > 0 && (x.Status.Terminal() || x.Status == app.StatusAwaitingLLM) {
		return h.answerDone(c, x)
	}
	return h.answerPoll(c, x)
}

// awaitIfFree is await for a request that took effect. It never refuses, since the client would
// send it again: if too many calls wait, or the client stops sending, it doesn't wait.
func (h *Handlers) awaitIfFree(c echo.Context, x app.Execution, wait time.Duration) (app.Execution, error) {
	if wait == 0 {
		return x, nil
	}
	now, err := h.awaitExecution(c, x, wait)
	if errors.Is(err, httpx.ErrBusy) || errors.Is(err, context.Canceled) {
		return x, nil
	}
	return now, err
}

// answerDone answers a request that took effect with 200 and the execution. Without memory for all
// of it, it answers 202 and where to poll.
func (h *Handlers) answerDone(c echo.Context, x app.Execution) error {
	if err := h.answerExecution(c, x); !errors.Is(err, httpx.ErrAnswers) {
		return err
	}
	return h.answerPoll(c, x)
}

// answerPoll answers 202 with where to poll.
func (h *Handlers) answerPoll(c echo.Context, x app.Execution) error {
	poll := h.Origins.BaseURL(c.Request()) + "/executions/" + x.ID
	c.Response().Header().Set("Location", poll)
	return c.JSON(http.StatusAccepted, acceptedView{x.ID, poll, x.Status, h.nextStep(c, x)})
}

// nextStep tells an agent what to do about an execution that waits for approval, else "".
func (h *Handlers) nextStep(c echo.Context, x app.Execution) string {
	if x.Status != app.StatusAwaitingApproval {
		return ""
	}
	return "A person has to approve this script before it runs. Ask them to open " +
		h.Origins.BaseURL(c.Request()) + "/ui/approvals/" + x.Approval + ", then poll with ?wait=50. " +
		"If they refuse it, error says why. It ends at " +
		x.CreatedAt.Add(h.Engine.Timeouts.Approval).UTC().Format(time.RFC3339) + " if nobody decides."
}

// readSubmission reads a POST /execute. Submit validates it.
func readSubmission(c echo.Context) (s appexecutions.Submission, err error) {
	token, err := bearerID(c)
	if err != nil {
		return s, err
	}
	var in executeInput
	if err := httpx.ReadJSON(c, &in); err != nil {
		return s, err
	}
	id, err := submittedProfile(token, in.ProfileID)
	return appexecutions.Submission{
		ProfileID: id, Script: in.Script, Skill: in.Skill, Inputs: in.Inputs, Timeout: in.Timeout, Label: in.Label,
		Files: in.Files, IdempotencyKey: c.Request().Header.Get("Idempotency-Key"), By: agent(c, ""),
		Trace: httpx.TraceID(c),
	}, err
}

// submittedProfile returns the profile id in a request's header, its body, or both alike.
func submittedProfile(token, fromBody string) (string, error) {
	if fromBody == self {
		fromBody = ""
	}
	switch {
	case fromBody == "" && token == "":
		return "", app.E(app.CodeUnauthorized, "the request names no profile",
			"Send profile_id in the body, or Authorization: Bearer ark_…; POST /profiles creates one.")
	case fromBody != "" && token != "" && !sameToken(token, fromBody):
		return "", errTwoProfiles()
	}
	return cmp.Or(fromBody, token), nil
}
