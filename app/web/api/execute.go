package api

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
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
	NextStep    string     `json:"next_step,omitempty"` // while a person has to approve the script
}

// execute answers POST /execute, as answerAccepted does.
func (h *executions) execute(c echo.Context) error {
	wait, err := httpx.WaitQuery(c)
	if err != nil {
		return err
	}
	submission, err := h.readSubmission(c)
	if err != nil {
		return err
	}
	x, replayed, err := h.engine.Submitter.Submit(c.Request().Context(), submission)
	if app.CodeOf(err) == app.CodeNotFound {
		return errUnknownProfile()
	}
	if err != nil {
		return err
	}
	if replayed {
		c.Response().Header().Set("Idempotency-Replayed", "true")
	}
	return h.answerAccepted(c, x, wait)
}

// answerAccepted answers 202 with where to poll, or 200 with the whole execution if it ended or
// waits for the LLM within the wait.
func (h *executions) answerAccepted(c echo.Context, x app.Execution, wait time.Duration) error {
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

// awaitIfFree is await for the answer to a request that took effect: it must not be refused, since
// the client would send it again. If too many calls wait, or the client stops sending, it doesn't
// wait.
func (h *executions) awaitIfFree(c echo.Context, x app.Execution, wait time.Duration) (app.Execution, error) {
	if wait == 0 {
		return x, nil
	}
	now, err := h.await(c, x, wait)
	if errors.Is(err, httpx.ErrBusy) || errors.Is(err, context.Canceled) {
		return x, nil
	}
	return now, err
}

// answerDone answers a request that took effect with 200 and the whole execution, or with 202 and
// where to poll if there is no memory for all of it.
func (h *executions) answerDone(c echo.Context, x app.Execution) error {
	if err := h.answer(c, x); !errors.Is(err, httpx.ErrAnswers) {
		return err
	}
	return h.answerPoll(c, x)
}

// answerPoll answers 202 with where to poll.
func (h *executions) answerPoll(c echo.Context, x app.Execution) error {
	poll := h.origins.BaseURL(c.Request()) + "/executions/" + x.ID
	c.Response().Header().Set("Location", poll)
	return c.JSON(http.StatusAccepted, acceptedView{x.ID, poll, x.Status, h.nextStep(c, x)})
}

// nextStep is what an agent is to do about an execution that waits for an approval; "" about others.
func (h *executions) nextStep(c echo.Context, x app.Execution) string {
	if x.Status != app.StatusAwaitingApproval {
		return ""
	}
	return "A person has to approve this script before it runs. Ask them to open " +
		h.origins.BaseURL(c.Request()) + "/ui/approvals/" + x.Approval + ", then poll with ?wait=50. " +
		"If they refuse it, error says why. It ends at " +
		x.CreatedAt.Add(h.engine.ApprovalWait).UTC().Format(time.RFC3339) + " if nobody decides."
}

func (h *executions) readSubmission(c echo.Context) (s appexecutions.Submission, err error) {
	token, err := bearerID(c)
	if err != nil {
		return s, err
	}
	var in executeInput
	if err := httpx.ReadJSON(c, &in); err != nil {
		return s, err
	}
	id, err := submittedProfile(token, in.ProfileID)
	if err != nil {
		return s, err
	}
	timeout, err := h.readTimeout(in.Timeout)
	if err != nil {
		return s, err
	}
	if err := checkScript(in); err != nil {
		return s, err
	}
	key := c.Request().Header.Get("Idempotency-Key")
	if err := checkIdempotencyKey(key); err != nil {
		return s, err
	}
	return appexecutions.Submission{
		ProfileID: id, Script: in.Script, Skill: in.Skill, Inputs: in.Inputs, Timeout: timeout, Label: in.Label,
		Files: in.Files, IdempotencyKey: key, By: agent(c, ""), Trace: httpx.TraceID(c),
	}, nil
}

func checkScript(in executeInput) error {
	switch {
	case in.Script != "" && in.Skill != "":
		return httpx.FieldError(app.CodeInvalidField, "skill", "script and skill can't both be run", "Send one of them.")
	case in.Script == "" && in.Skill == "":
		return httpx.FieldError(app.CodeInvalidField, "script", "script is empty",
			"Send Python, such as \"set_result(1)\".")
	case len(in.Script) > app.MaxScript:
		return httpx.FieldError(app.CodeTooLarge, "script",
			fmt.Sprintf("script is %d bytes; at most %d are allowed", len(in.Script), app.MaxScript),
			"Move data out of the script: send it as inputs, or fetch it from inside.")
	case len(in.Inputs) > app.MaxInputs:
		return httpx.FieldError(app.CodeTooLarge, "inputs",
			fmt.Sprintf("inputs is %d bytes; at most %d are allowed", len(in.Inputs), app.MaxInputs),
			"Send it in parts, one execution each, or have the script read it from an allowed host.")
	}
	return nil
}

// submittedProfile is the id of the profile that a request names in its header, its body, or both
// alike.
func submittedProfile(token, fromBody string) (string, error) {
	if fromBody == self {
		fromBody = ""
	}
	switch {
	case fromBody == "" && token == "":
		return "", app.E(app.CodeUnauthorized, "the request names no profile",
			"Send profile_id in the body, or Authorization: Bearer ark_…; POST /profiles creates one.")
	case fromBody == "":
		return token, nil
	case !app.IsProfileID(fromBody):
		return "", errUnknownProfile()
	case token != "" && !sameToken(token, fromBody):
		return "", errTwoProfiles()
	}
	return fromBody, nil
}

// readTimeout returns 0, the default, for nil.
func (h *executions) readTimeout(seconds *float64) (time.Duration, error) {
	if seconds == nil {
		return 0, nil
	}
	return h.engine.Submitter.ReadTimeout(*seconds)
}

func checkIdempotencyKey(key string) error {
	bad := len(key) > app.MaxIdempotencyKey
	for _, b := range []byte(key) {
		bad = bad || b < 0x21 || b > 0x7e
	}
	if bad {
		return httpx.FieldError(app.CodeInvalidField, "Idempotency-Key",
			fmt.Sprintf("the Idempotency-Key header is not 1 to %d printable ASCII characters without spaces",
				app.MaxIdempotencyKey),
			"Use a UUID, one for each execution that you mean.")
	}
	return nil
}
