package testrequest

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress"
	"github.com/computclaw/airlock/app/egress/rules"
)

// answer is the kept part of a response.
type answer struct {
	status  int
	took    time.Duration
	refusal refusal // Airlock's own; empty if the host answered
}

type refusal struct {
	Message string `json:"message"`
	Hint    string `json:"hint"`
}

// maxRefusal bounds the bytes read of a body.
const maxRefusal = 16 << 10

// get sends the request as a script would.
func get(ctx context.Context, session *egress.Session, authority []byte, to target, sent field) (answer, error) {
	roots := x509.NewCertPool()
	roots.AppendCertsFromPEM(authority)
	transport := &http.Transport{
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			c, err := session.Dial(ctx, to.host.Name, to.port())
			if err != nil {
				return nil, err
			}
			return egress.NetConn(c), nil
		},
		TLSClientConfig:        &tls.Config{RootCAs: roots, MinVersion: tls.VersionTLS12},
		DisableCompression:     true,
		DisableKeepAlives:      true,
		MaxResponseHeaderBytes: 64 << 10,
	}
	defer transport.CloseIdleConnections()
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, to.url.String(), nil)
	if err != nil {
		return answer{}, err
	}
	req.Header.Set("User-Agent", "Airlock credential test")
	req.Header.Set("Accept", "*/*")
	if sent.name != "" {
		req.Header.Set(sent.name, sent.text)
	}
	started := time.Now()
	res, err := transport.RoundTrip(req) // no redirect is followed
	took := time.Since(started)
	if err != nil {
		return answer{took: took}, err
	}
	defer res.Body.Close()
	a := answer{status: res.StatusCode, took: took}
	if res.Header.Get(egress.RuleField) == "" {
		return a, nil // the head of the host's answer says enough
	}
	body, err := io.ReadAll(io.LimitReader(res.Body, maxRefusal))
	if err != nil {
		return a, nil // the ledger has the rule
	}
	var own struct{ Error refusal }
	if json.Unmarshal(body, &own) == nil {
		a.refusal = own.Error
	}
	return a, nil
}

// judge reads the outcome from the ledger. Of the answer only the status counts.
func judge(key string, ledger []app.Connection, a answer, failed error) Result {
	r := Result{Took: a.took, Status: a.status}
	var stopped *app.Connection
	for i, c := range ledger {
		r.Swapped = r.Swapped || slices.Contains(c.Credentials, key) && !beforeSending(c.Rule)
		if c.Verdict != app.VerdictAllowed && !ownEnd(c.Rule) {
			stopped = &ledger[i]
		}
	}
	var dial *app.Error
	switch {
	case failed != nil && errors.As(failed, &dial):
		r.Problem, r.Hint = sentence(dial.Message), sentence(dial.Hint)
	case stopped != nil:
		explain(&r, *stopped, a)
	case failed != nil:
		r.Problem, r.Hint = failure(failed)
	case !r.Swapped:
		r.Problem, r.Hint = "The value was not added.",
			"Test again. If it stays so, report it as a bug: nothing of the value left Airlock."
	case a.status == http.StatusUnauthorized, a.status == http.StatusForbidden:
		r.Problem = "The host got the value and did not accept it: it answered " + http.StatusText(a.status) + "."
		r.Hint = "Check the value, try a path that it is meant for, and mind that some hosts want it in another header " +
			"than Authorization."
	case a.status >= http.StatusInternalServerError:
		r.Problem, r.Hint = "The host got the value and failed.", "Try another path, or later."
	default:
		r.Hint = "Name a path that answers only with a valid key, such as /v1/me."
	}
	return r
}

// ownEnd reports whether the test itself ended the request: after the head, or out of time.
func ownEnd(rule string) bool { return rule == rules.Cancelled || rule == rules.Closed }

// beforeSending reports whether a rule ends a request before any of it is sent.
func beforeSending(rule string) bool {
	switch rule {
	case rules.Unresolved, rules.ServicePort, rules.Refused, rules.Unreachable,
		rules.CertUntrusted, rules.CertTime, rules.CertName,
		rules.CertOther, rules.HostNoTLS, rules.HostOldTLS, rules.HostTLS:
		return true
	}
	return false
}

// explain says why Airlock refused or couldn't reach the host. The status is then Airlock's own.
func explain(r *Result, c app.Connection, a answer) {
	r.Status = 0
	if a.refusal.Message != "" {
		r.Problem, r.Hint = sentence(a.refusal.Message), sentence(a.refusal.Hint)
		return
	}
	why := rules.Explain(c)
	r.Problem, r.Hint = sentence(why.Message), sentence(why.Hint)
}

func failure(err error) (problem, hint string) {
	var cert *tls.CertificateVerificationError
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return "The host did not answer in time.", "Try another path, or later."
	case errors.As(err, &cert):
		return "Airlock could not step into the connection, so nothing was sent.",
			"Restart Airlock; if it stays so, report it as a bug."
	}
	return "The connection ended without an answer.", "Check that the host speaks HTTP at this port."
}
