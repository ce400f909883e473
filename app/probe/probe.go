package probe

import (
	"context"
	"crypto/rand"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/swap"
)

// Config is what a Prober needs.
type Config struct {
	Access    *access.Parts
	Gateway   *egress.Gateway
	Authority []byte           // certificate of the authority that the gateway issues with, PEM
	Now       func() time.Time // nil: time.Now
	Timeout   time.Duration    // of one test; 0: 20 s
	// these settings may not be those that scripts meet: outcomes are audited and not kept with the
	// credential
	Aside bool
}

// Prober tests credentials. It is safe for concurrent use; two tests at a time run, more are
// CodeRateLimited.
type Prober struct {
	cfg   Config
	slots chan struct{}
}

// New returns a Prober.
func New(cfg Config) *Prober {
	if cfg.Now == nil {
		cfg.Now = time.Now
	}
	if cfg.Timeout == 0 {
		cfg.Timeout = 20 * time.Second
	}
	return &Prober{cfg: cfg, slots: make(chan struct{}, 2)}
}

// Request is one test.
type Request struct {
	Name string // of the credential
	// one of its hosts, with or without a port, or one under its wildcards; "" for the first that can
	// be tested
	Host    string
	Path    string    // with the query; "" for /
	Private bool      // the host may be at a private address
	As      Placement // how the value is sent; its zero value is Authorization: Bearer
}

// Result is what a test showed. It holds neither the value nor anything of the answer but its
// status.
type Result struct {
	URL     string
	Swapped bool // the value was put in
	Status  int  // that the host answered; 0 if it did not
	Took    time.Duration
	Problem string // why it doesn't work; "" if it does
	Hint    string
}

// Works reports whether the value went in and the host took it.
func (r Result) Works() bool { return r.Problem == "" }

// Credential sends one GET with a sealed credential to one of its hosts, and keeps the outcome with
// the credential and in the audit log. An error means that nothing was sent: CodeNotFound,
// CodeInvalidField (mode, host or path), CodeMissingValue, CodeForbidden for agents.
func (p *Prober) Credential(ctx context.Context, by app.Actor, req Request) (Result, error) {
	c, value, hold, err := p.cfg.Access.Credentials.OpenForCheck(ctx, by, req.Name)
	if err != nil {
		return Result{}, err
	}
	defer p.cfg.Access.Vault.Release(hold)
	to, err := choose(c, req)
	if err != nil {
		return Result{}, err
	}
	if err := req.As.check(); err != nil {
		return Result{}, err
	}
	select {
	case p.slots <- struct{}{}:
		defer func() { <-p.slots }()
	default:
		return Result{}, app.E(app.CodeRateLimited, "other tests are running", "Wait until they are done, then try again.")
	}
	at := p.cfg.Now()
	result, err := p.send(ctx, c, value, to, req.As)
	if err != nil {
		return Result{}, err
	}
	// The record is kept also when the person has left in the meantime.
	err = p.cfg.Access.Credentials.RecordCheck(context.WithoutCancel(ctx), by, c,
		credentials.Check{At: at, Problem: result.Problem, Detail: detail(to, result), Aside: p.cfg.Aside})
	return result, err
}

func (p *Prober) send(
	ctx context.Context, c app.Credential, value app.Secret, to target, as Placement,
) (Result, error) {
	mac := make([]byte, 32)
	if _, err := rand.Read(mac); err != nil {
		return Result{}, fmt.Errorf("probe: make a placeholder: %w", err)
	}
	placeholder := swap.Placeholder(mac)
	session := p.cfg.Gateway.Session(egress.Grant{Hosts: []app.Host{to.host}, Sealed: []swap.Credential{{
		Key: c.Name, Placeholder: placeholder, Value: value, Hosts: c.Hosts, Places: c.Places,
		Headers: app.SealedHeaders(c.Headers), PlainHTTP: c.PlainHTTP,
	}}}, nil)
	defer session.Close()
	ctx, cancel := context.WithTimeout(ctx, p.cfg.Timeout)
	defer cancel()
	got, err := get(ctx, session, p.cfg.Authority, to, as.among(c.Headers).field(placeholder))
	session.Close()
	result := judge(c.Name, session.Ledger(), got, err)
	result.URL = to.url.String()
	return result, nil
}

// detail is a test in one sentence for the audit log. The path is left out: it may hold what
// belongs to nobody else.
func detail(to target, r Result) string {
	text := fmt.Sprintf("Sent a test request to %s:%d: ", to.host.Name, to.port())
	switch {
	case r.Works():
		return text + fmt.Sprintf("the value was put in and the host answered with status %d.", r.Status)
	case r.Status != 0:
		return text + fmt.Sprintf("it was answered with status %d. ", r.Status) + r.Problem
	}
	return text + r.Problem
}
