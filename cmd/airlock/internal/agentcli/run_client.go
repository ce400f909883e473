package agentcli

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app/sleep"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/client"
)

// agent is the agent's side of a run. Errors are *app.Error if Airlock refused; others mean no
// answer.
type agent struct {
	api     client.Client
	profile app.Secret
}

// submission is the body of POST /execute.
type submission struct {
	Script  string          `json:"script,omitempty"`
	Skill   string          `json:"skill,omitempty"`
	Timeout float64         `json:"timeout,omitempty"`
	Inputs  json.RawMessage `json:"inputs,omitempty"`
	Label   string          `json:"label,omitempty"`

	Files map[string]string `json:"files,omitempty"`
}

type execution struct {
	ID         string          `json:"execution_id"`
	Status     app.Status      `json:"status"`
	Paused     bool            `json:"paused"`
	NextStep   string          `json:"next_step"`
	Result     json.RawMessage `json:"result"`
	Error      string          `json:"error"`
	Traceback  string          `json:"traceback"`
	Stdout     string          `json:"stdout"`
	Stderr     string          `json:"stderr"`
	Truncated  bool            `json:"truncated"`
	Warnings   []string        `json:"warnings"`
	LLMRequest *question       `json:"llm_request"`
	Network    []connection    `json:"network"`
	Artifacts  []artifact      `json:"artifacts"`
	PollURL    string          `json:"poll_url"` // of an answer that says no more than how it stands

	whole json.RawMessage // the answer as it came
}

type connection struct {
	Host    string `json:"host"`
	Port    int    `json:"port"` // 0 if only the name was asked for
	Verdict string `json:"verdict"`
	Line    int    `json:"line"` // of the script; 0 if unknown
	Method  string `json:"method"`
	Path    string `json:"path"`
	Hint    string `json:"hint"`
}

type question struct {
	RequestID string `json:"request_id"`
	Prompt    string `json:"prompt"`
	Model     string `json:"model"`
}

type answer struct {
	RequestID string  `json:"request_id"`
	Response  *string `json:"response,omitempty"`
	Error     *string `json:"error,omitempty"`
}

type profile struct {
	State    string `json:"state"`
	SetupURL string `json:"setup_url"`
	Pairing  string `json:"pairing_code"`
	Keys     []struct {
		Exists bool `json:"value_exists"`
	} `json:"keys"`
}

// isSettled reports whether a person can do nothing more for a run.
func (p profile) isSettled() bool {
	if p.State != string(app.StateLocked) {
		return p.State != string(app.StateUnlocked)
	}
	for _, k := range p.Keys {
		if !k.Exists {
			return false
		}
	}
	return true
}

func (p profile) invitation() string {
	if p.State == string(app.StateLocked) {
		return "open " + p.SetupURL + " and set the missing value."
	}
	return "open " + p.SetupURL + " (pairing code " + p.Pairing + "), fill in the values and press Lock."
}

// submit starts an execution. It retries under one idempotency key, so the script starts at most
// once.
func (a agent) submit(ctx context.Context, s submission) (execution, error) {
	return a.execution(ctx, "", client.Request{Method: http.MethodPost, Path: "/execute", Key: app.NewID()}, s)
}

// poll returns at the end, at a question, or after the wait.
func (a agent) poll(ctx context.Context, id string, wait time.Duration) (execution, error) {
	return a.execution(ctx, id, client.Request{Method: http.MethodGet, Path: "/executions/" + id + waitQuery(wait)}, nil)
}

// respond answers. If a reply was lost, the repetition is refused; then the execution's state
// counts.
func (a agent) respond(ctx context.Context, id string, said answer) (execution, error) {
	x, err := a.execution(ctx, id, client.Request{Method: http.MethodPost, Path: "/executions/" + id + "/respond"}, said)
	var refused *app.Error
	if x.PollURL != "" || errors.As(err, &refused) &&
		(refused.Code == app.CodeNotWaiting || refused.Code == app.CodeRequestMismatch) {
		return a.poll(ctx, id, 0)
	}
	return x, err
}

// cancel stops an execution and returns its end, which may have come before.
func (a agent) cancel(ctx context.Context, id string) (execution, error) {
	x, err := a.execution(ctx, id, client.Request{Method: http.MethodPost, Path: "/executions/" + id + "/cancel"}, nil)
	var refused *app.Error
	if x.PollURL != "" || errors.As(err, &refused) && refused.Code == app.CodeAlreadyEnded {
		return a.poll(ctx, id, 0)
	}
	return x, err
}

func (a agent) readProfile(ctx context.Context, wait time.Duration) (p profile, err error) {
	_, err = a.ask(ctx, client.Request{Method: http.MethodGet, Path: "/profiles/self" + waitQuery(wait)}, nil, &p)
	return p, err
}

// execution makes a call that returns one. id: its id, if known.
func (a agent) execution(ctx context.Context, id string, r client.Request, in any) (x execution, err error) {
	x.whole, err = a.ask(ctx, r, in, &x)
	if id != "" {
		x.ID = id
	}
	return x, err
}

func waitQuery(wait time.Duration) string {
	return "?wait=" + strconv.FormatFloat(wait.Seconds(), 'f', 3, 64)
}

// ask makes a call, reads its answer into out, and returns the text.
func (a agent) ask(ctx context.Context, r client.Request, in, out any) (json.RawMessage, error) {
	if in != nil {
		var err error
		if r.Body, err = json.Marshal(in); err != nil {
			return nil, fmt.Errorf("encode the request: %w", err)
		}
	}
	text, err := a.persist(ctx, r)
	if err == nil {
		err = json.Unmarshal(text, out)
	}
	return text, err
}

const tries = 6

// persist repeats a call while Airlock is unreachable or says "later". A stop ends pauses and
// reads, but no call that changes something: its effect could not be cancelled.
func (a agent) persist(ctx context.Context, r client.Request) (text []byte, err error) {
	var got client.Answer
	r.Profile = a.profile
	call := ctx
	if r.Method != http.MethodGet {
		call = context.WithoutCancel(ctx)
	}
	for try := range tries {
		got, err = a.api.Do(call, r)
		later := err != nil || got.Status == http.StatusTooManyRequests || got.Status >= http.StatusBadGateway
		if !later || ctx.Err() != nil || try == tries-1 {
			break
		}
		_ = sleep.For(ctx, max(250*time.Millisecond<<try, min(got.After, time.Minute)))
	}
	if err == nil && !got.OK() {
		err = got.Refusal()
	}
	return got.Text, err
}
