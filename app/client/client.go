// Package client calls an instance's agent API, for airlock run, airlock mcp and /mcp.
package client

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
)

// Client is safe for concurrent use.
type Client struct {
	URL  string       // of the instance, without trailing slash
	HTTP *http.Client // its Timeout must be longer than a long poll
}

// New returns a client whose calls outlast a long poll. It follows no redirects, which would leak
// the profile id.
func New(url string) Client {
	return Client{URL: url, HTTP: &http.Client{
		Timeout:       app.MaxPollWait + 30*time.Second,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
}

// Request is one request to the agent API.
type Request struct {
	Method  string
	Path    string // with the query
	Body    []byte // nil: none
	Type    string // of Body; "" is JSON
	Profile app.Secret
	Key     string // Idempotency-Key; "" for none
}

// Answer is what the API said.
type Answer struct {
	Status int
	Text   []byte
	After  time.Duration // what Retry-After asks for; 0 if nothing
}

// OK tells an answer from a refusal.
func (a Answer) OK() bool { return a.Status < 300 }

// maxAnswer bounds an answer: two streams and a result, each escaped.
const maxAnswer = 64 << 20

// Do makes one request. An error means there was no whole answer. It names no URL, which may
// contain ids.
func (c Client) Do(ctx context.Context, r Request) (Answer, error) {
	var body io.Reader
	if r.Body != nil {
		body = bytes.NewReader(r.Body)
	}
	req, err := http.NewRequestWithContext(ctx, r.Method, c.URL+r.Path, body)
	if err != nil {
		return Answer{}, fmt.Errorf("make a request: %w", withoutURL(err))
	}
	if r.Body != nil {
		req.Header.Set("Content-Type", cmp.Or(r.Type, "application/json"))
	}
	if !r.Profile.Empty() {
		req.Header.Set("Authorization", "Bearer "+r.Profile.Reveal())
	}
	if r.Key != "" {
		req.Header.Set("Idempotency-Key", r.Key)
	}
	got, err := c.HTTP.Do(req)
	if err != nil {
		//nolint:staticcheck // a name
		return Answer{}, fmt.Errorf("Airlock at %s can't be reached: %w", c.URL, withoutURL(err))
	}
	defer got.Body.Close()
	text, err := io.ReadAll(io.LimitReader(got.Body, maxAnswer))
	if err != nil {
		return Answer{}, fmt.Errorf("the answer of Airlock at %s broke off: %w", c.URL, err)
	}
	a := Answer{Status: got.StatusCode, Text: text}
	if seconds, err := strconv.Atoi(got.Header.Get("Retry-After")); err == nil && seconds > 0 {
		a.After = time.Duration(seconds) * time.Second
	}
	return a, nil
}

// Refusal returns why an answer is a refusal or not the API's.
func (a Answer) Refusal() *app.Error {
	var body app.ErrorBody
	if json.Unmarshal(a.Text, &body) != nil || body.Error == nil || body.Error.Code == "" {
		return app.E(app.CodeInternal, fmt.Sprintf("the answer (status %d) is not Airlock's", a.Status),
			"Check the address of the instance.")
	}
	return body.Error
}

func withoutURL(err error) error {
	var inURL *url.Error
	if errors.As(err, &inURL) {
		return inURL.Err
	}
	return err
}
