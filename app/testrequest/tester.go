package testrequest

import (
	"context"
	"crypto/rand"
	"fmt"
	"net/http"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/app/secrets"
)

// Config is what a Tester needs.
type Config struct {
	Access    *access.Parts
	Gateway   *egress.Gateway
	Authority []byte           // certificate of the authority that the gateway issues with, PEM
	Now       func() time.Time // nil: time.Now
	Timeout   time.Duration    // of one test; 0: 20 s
	// other settings than scripts meet: outcomes are audited but not kept with the credential
	Aside bool
}

// Tester tests credentials. Safe for concurrent use. Two run at a time; more get CodeRateLimited.
type Tester struct {
	cfg   Config
	slots chan struct{}
}

// New returns a Tester.
func New(cfg Config) *Tester {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 20 * time.Second
	}
	return &Tester{cfg: cfg, slots: make(chan struct{}, 2)}
}

// Request is one test.
type Request struct {
	Name string // of the credential
	// one of its hosts, with or without port, or one under its wildcards; "" for the first testable
	Host    string
	Path    string    // with the query, of something that needs the value; "" for /
	Private bool      // the host may be at a private address
	As      Placement // how the value is sent; its zero value is Authorization: Bearer
}

// Result is a test's outcome. Of the answer it holds only the status, and never the value.
type Result struct {
	URL     string
	Swapped bool // the value was put in
	Status  int  // that the host answered; 0 if it did not
	Took    time.Duration
	Proved  bool   // the host took the value, and refused the same request without it and with a made-up one
	Without int    // that the host answered without the value; 0 if it was not asked or did not answer
	Problem string // why it doesn't work; "" if it may
	Hint    string
}

// Verdict returns the outcome in a sentence. It claims only what was proved.
func (r Result) Verdict() string {
	switch {
	case r.Problem != "":
		return "It does not work."
	case r.Proved:
		return fmt.Sprintf("It works: HTTP %d with the value, HTTP %d without it.", r.Status, r.Without)
	}
	return fmt.Sprintf("Reached, HTTP %d; this doesn't prove the key.", r.Status)
}

// TestCredential sends a GET with a sealed credential to one of its hosts. If accepted, it repeats
// the request without the value and with a made-up one: only if both are refused the value is
// proved. The outcome is kept with the credential and audited. Nothing was sent after CodeNotFound,
// CodeInvalidField (mode, host or path), CodeMissingValue, CodeForbidden for agents and
// CodeRateLimited. Something may have been if keeping the outcome fails.
func (p *Tester) TestCredential(ctx context.Context, by app.Actor, req Request) (Result, error) {
	if err := req.As.check(); err != nil {
		return Result{}, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		return Result{}, app.E(app.CodeRateLimited, "other tests are running", "Wait until they are done, then try again.")
	}
	c, value, hold, err := p.cfg.Access.Credentials.OpenForCheck(ctx, by, req.Name)
	if err != nil {
		return Result{}, err
	}
	defer p.cfg.Access.Vault.Release(hold)
	to, err := choose(c, req)
	if err != nil {
		return Result{}, err
	}
	at := p.cfg.Now()
	result, err := p.send(ctx, c, value, to, req.As)
	if err != nil {
		return Result{}, err
	}
	// The record is kept also if the person has left.
	err = p.cfg.Access.Credentials.RecordCheck(context.WithoutCancel(ctx), by, c,
		credentials.Check{At: at, Problem: result.Problem, Proved: result.Proved, Detail: detail(to, result),
			Aside: p.cfg.Aside})
	return result, err
}

// send tries the value, and whether the answer depends on it.
func (p *Tester) send(
	ctx context.Context, c app.Credential, value app.Secret, to target, as Placement,
) (Result, error) {
	mac := make([]byte, 32)
	if _, err := rand.Read(mac); err != nil {
		return Result{}, fmt.Errorf("testrequest: make a placeholder: %w", err)
	}
	as, placeholder := as.among(c.Headers), swap.Placeholder(mac)
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timeout)
	defer cancel()
	got, ledger, err := p.ask(ctx, c, value, placeholder, to, as.field(placeholder))
	result := judge(c.Name, ledger, got, err)
	result.URL = to.url.String()
	if result.Problem != "" || !isSuccess(result.Status) {
		return result, nil
	}
	result.Without = p.statusOf(ctx, c, value, placeholder, to, field{})
	result.Proved = isRefusal(result.Without) &&
		isRefusal(p.statusOf(ctx, c, value, placeholder, to, as.field(rand.Text()+rand.Text())))
	if result.Proved {
		result.Hint = ""
	}
	return result, nil
}

func isSuccess(status int) bool { return status >= 200 && status < 300 }

// isRefusal reports whether a status blames the request. Busy or broken hosts say nothing.
func isRefusal(status int) bool {
	return status >= 300 && status < 500 && status != http.StatusTooManyRequests
}

// statusOf returns the host's status for another field or none; 0 without an answer.
func (p *Tester) statusOf(
	ctx context.Context, c app.Credential, value app.Secret, placeholder string, to target, sent field,
) int {
	got, ledger, err := p.ask(ctx, c, value, placeholder, to, sent)
	stopped := slices.ContainsFunc(ledger, func(row app.Connection) bool {
		return row.Verdict != app.VerdictAllowed && !ownEnd(row.Rule)
	})
	if err != nil || stopped {
		return 0
	}
	return got.status
}

// ask sends one request in its own session, and returns the session's ledger.
func (p *Tester) ask(
	ctx context.Context, c app.Credential, value app.Secret, placeholder string, to target, sent field,
) (answer, []app.Connection, error) {
	session := p.cfg.Gateway.Session(egress.Grant{Hosts: []app.Host{to.host}, Sealed: []secrets.Resolved{{
		Key: c.Name, Placeholder: placeholder, Secret: value,
		Scope: secrets.Scope{
			Hosts: c.Hosts, Places: c.Places, Headers: app.SealedHeaders(c.Headers), PlainHTTP: c.PlainHTTP,
		},
	}}}, nil)
	defer session.Close()
	got, err := get(ctx, session, p.cfg.Authority, to, sent)
	session.Close()
	return got, session.Ledger(), err
}

// detail describes a test for the audit log, without the path, which may be confidential.
func detail(to target, r Result) string {
	text := fmt.Sprintf("Sent a test request to %s:%d: ", to.host.Name, to.port())
	switch {
	case r.Problem == "":
		return text + "the value was put in. " + r.Verdict()
	case r.Status != 0:
		return text + fmt.Sprintf("it was answered with status %d. ", r.Status) + r.Problem
	}
	return text + r.Problem
}
