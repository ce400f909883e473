package mcp

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"

	"github.com/computclaw/airlock/app"
)

// Client speaks to the agent API. It is safe for concurrent use.
type Client struct {
	URL     string       // of the instance, without trailing slash
	HTTP    *http.Client // its Timeout must be longer than a long poll
	Profile app.Secret   // of a connection that is not HTTP; may be empty
}

// maxAnswer bounds an answer: two streams and a result, each escaped.
const maxAnswer = 64 << 20

// answer is what the API said.
type answer struct {
	status int
	text   []byte
}

func (a answer) ok() bool { return a.status < 300 }

// ask makes one request. An error means that there was no answer.
func (c Client) ask(ctx context.Context, r request) (answer, error) {
	var body io.Reader
	if r.body != nil {
		body = bytes.NewReader(r.body)
	}
	req, err := http.NewRequestWithContext(ctx, r.method, c.URL+r.path, body)
	if err != nil {
		return answer{}, fmt.Errorf("mcp: make a request: %w", err)
	}
	if r.body != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	if !r.profile.Empty() {
		req.Header.Set("Authorization", "Bearer "+r.profile.Reveal())
	}
	if r.key != "" {
		req.Header.Set("Idempotency-Key", r.key)
	}
	got, err := c.HTTP.Do(req)
	if err != nil {
		return answer{}, fmt.Errorf("mcp: Airlock can't be reached: %w", withoutURL(err))
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	if err != nil {
		return answer{}, fmt.Errorf("mcp: read an answer: %w", err)
	}
	return answer{got.StatusCode, text}, nil
}

// withoutURL drops the URL, in which ids stand, from an error of net/http.
func withoutURL(err error) error {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		return inURL.Err
	}
	return err
}

// errorOf is the API's refusal, or one that says that the answer was not the API's.
func (a answer) errorOf() *app.Error {
	var body struct {
		Error struct {
			Code    app.Code `json:"code"`
			Message string   `json:"message"`
			Hint    string   `json:"hint"`
			Field   string   `json:"field"`
		} `json:"error"`
	}
	if json.Unmarshal(a.text, &body) != nil || body.Error.Code == "" {
		return app.E(app.CodeInternal, fmt.Sprintf("the answer (status %d) is not Airlock's", a.status), "Check the address of the instance.")
	}
	e := body.Error
	return &app.Error{Code: e.Code, Message: e.Message, Hint: e.Hint, Field: e.Field}
}
