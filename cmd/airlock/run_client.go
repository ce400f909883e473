package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
)

// client is the agent's side of the API.
type client struct {
	url     string
	profile app.Secret
	http    *http.Client
}

func newClient(url string, profile app.Secret) *client {
	return &client{url: url, profile: profile, http: newHTTPClient()}
}

// execution is what the client needs of an answer.
type execution struct {
	ID         string          `json:"execution_id"`
	Status     app.Status      `json:"status"`
	Result     json.RawMessage `json:"result"`
	Error      string          `json:"error"`
	Traceback  string          `json:"traceback"`
	Stdout     string          `json:"stdout"`
	Stderr     string          `json:"stderr"`
	Truncated  bool            `json:"truncated"`
	LLMRequest *question       `json:"llm_request"`
	Network    []struct {
		Host    string `json:"host"`
		Port    int    `json:"port"`
		Verdict string `json:"verdict"`
		Hint    string `json:"hint"`
	} `json:"network"`
}

type question struct {
	RequestID string `json:"request_id"`
	Prompt    string `json:"prompt"`
	Model     string `json:"model"`
}

// answer is the body of respond: a response or an error.
type answer struct {
	RequestID string  `json:"request_id"`
	Response  *string `json:"response,omitempty"`
	Error     *string `json:"error,omitempty"`
}

// apiError is a refusal by Airlock.
type apiError struct {
	Status  int
	Code    app.Code `json:"code"`
	Message string   `json:"message"`
	Hint    string   `json:"hint"`
	again   time.Duration
}

func (e *apiError) Error() string { return string(e.Code) + ": " + e.Message }

const longest = "?wait=50"

// submit starts an execution. It is repeated after failures under one idempotency key, so the script starts at most once.
func (c *client) submit(ctx context.Context, s submission) (x execution, err error) {
	err = c.persist(ctx, "POST", "/execute"+longest, s, &x, app.NewID())
	return x, err
}

func (c *client) poll(ctx context.Context, id string) (x execution, err error) {
	err = c.persist(ctx, "GET", "/executions/"+id+longest, nil, &x, "")
	x.ID = id
	return x, err
}

// respond answers and waits on. If an answer arrived but its reply was lost, the repetition is refused; then what counts is how the execution stands.
func (c *client) respond(ctx context.Context, id string, a answer) (x execution, err error) {
	err = c.persist(ctx, "POST", "/executions/"+id+"/respond"+longest, a, &x, "")
	var refused *apiError
	if errors.As(err, &refused) && (refused.Code == app.CodeNotWaiting || refused.Code == app.CodeRequestMismatch) {
		return c.poll(ctx, id)
	}
	x.ID = id
	return x, err
}

func (c *client) cancel(ctx context.Context, id string) error {
	return c.do(ctx, "POST", "/executions/"+id+"/cancel", nil, nil, "")
}

// patience is how often a call is repeated that did not get through.
const patience = 6

// persist repeats a call while Airlock can't be reached or says "later".
func (c *client) persist(ctx context.Context, method, path string, in, out any, key string) (err error) {
	for try := range patience {
		if err = c.do(ctx, method, path, in, out, key); err == nil || ctx.Err() != nil {
			return err
		}
		pause := 250 * time.Millisecond << try
		var refused *apiError
		if errors.As(err, &refused) {
			if refused.Status != http.StatusTooManyRequests && refused.Status < 502 {
				return err
			}
			pause = max(pause, min(refused.again, time.Minute))
		}
		if try == patience-1 {
			break
		}
		select {
		case <-time.After(pause):
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return err
}

// do makes one call. Errors: *apiError if Airlock answered with one.
func (c *client) do(ctx context.Context, method, path string, in, out any, key string) error {
	var body io.Reader
	if in != nil {
		text, err := json.Marshal(in)
		if err != nil {
			return fmt.Errorf("encode the request: %w", err)
		}
		body = bytes.NewReader(text)
	}
	r, err := http.NewRequestWithContext(ctx, method, c.url+path, body)
	if err != nil {
		return fmt.Errorf("make the request: %w", err)
	}
	r.Header.Set("Authorization", "Bearer "+c.profile.Reveal())
	if in != nil {
		r.Header.Set("Content-Type", "application/json")
	}
	if key != "" {
		r.Header.Set("Idempotency-Key", key)
	}
	answer, err := c.http.Do(r)
	if err != nil {
		return fmt.Errorf("Airlock at %s can't be reached: %w", c.url, withoutURL(err)) //nolint:staticcheck // a name
	}
	defer answer.Body.Close()
	return readAnswer(answer, out)
}

// maxAnswer bounds an answer: two streams and a result, each escaped.
const maxAnswer = 64 << 20

func readAnswer(r *http.Response, out any) error {
	data, err := io.ReadAll(io.LimitReader(r.Body, maxAnswer))
	if err != nil {
		return fmt.Errorf("read the answer: %w", err)
	}
	if r.StatusCode < 300 {
		if out == nil {
			return nil
		}
		if err := json.Unmarshal(data, out); err != nil {
			return fmt.Errorf("the answer is not Airlock's: %w", err)
		}
		return nil
	}
	var body struct {
		Error apiError `json:"error"`
	}
	if json.Unmarshal(data, &body) != nil || body.Error.Code == "" {
		body.Error = apiError{Code: "http_" + app.Code(strconv.Itoa(r.StatusCode)), Message: "the answer is not Airlock's", Hint: "Check the address of the instance."}
	}
	body.Error.Status = r.StatusCode
	if seconds, err := strconv.Atoi(r.Header.Get("Retry-After")); err == nil && seconds > 0 {
		body.Error.again = time.Duration(seconds) * time.Second
	}
	return &body.Error
}
