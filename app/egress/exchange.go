package egress

import (
	"bytes"
	"errors"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/head"
	"github.com/computclaw/airlock/app/egress/rules"
	"github.com/computclaw/airlock/app/egress/swap"
)

// exchange is one request and its answer.
type exchange struct {
	*server
	method string
	path   string
	row    *row // nil until the request is judged to be proper
	body   *requestBody
	sent   watchedBody // the body as it goes to the host
	sealed bool        // a sealed credential belongs to the host
	old    bool        // HTTP/1.0
	keep   bool        // the box's connection may serve another request
}

// next serves one request, and reports whether another may follow.
func (e *server) next() bool {
	text, err := e.waitHead()
	x := &exchange{server: e}
	x.method, x.path = parseRequestLine(text)
	e.conn.meter.Store(&meter{})
	var v *head.Violation
	switch {
	case errors.As(err, &v):
		return x.answerViolation(v)
	case err != nil && len(text) == 0:
		e.silent(err)
		return false
	case err != nil:
		return x.endIncomplete(err)
	}
	e.requests++
	if err := head.Check(text, e.host); errors.As(err, &v) {
		return x.answerViolation(v)
	}
	in, err := http.ReadRequest(e.in)
	if err != nil {
		return x.answerViolation(&head.Violation{Kind: head.Malformed})
	}
	if err := e.session.requests.Wait(e.ctx); err != nil {
		return false
	}
	return x.serve(in)
}

// parseRequestLine returns method and target of a head for the ledger, also of a malformed one.
func parseRequestLine(text []byte) (method, path string) {
	line, _, _ := bytes.Cut(text, []byte("\r\n"))
	method, rest, _ := strings.Cut(string(line), " ")
	path, _, _ = strings.Cut(rest, " ")
	if len(method) > maxMethod { // half a value could not be recognised as one by the redactor
		method = "(long)"
	}
	return clipPrintable(method, maxMethod), clipPath(path)
}

const (
	maxMethod = 32
	maxPath   = 2 << 10 // bytes of a target that the ledger shows
)

func clipPrintable(s string, n int) string {
	return strings.Map(func(r rune) rune {
		if r < 0x21 || r > 0x7e {
			return '?'
		}
		return r
	}, app.Clip(s, n))
}

// clipPath shortens a target at the end of a parameter: the redactor would miss half a value.
func clipPath(path string) string {
	if len(path) <= maxPath {
		return clipPrintable(path, maxPath)
	}
	if i := strings.LastIndexAny(path[:maxPath], "?&"); i > 0 {
		return clipPrintable(path[:i+1], maxPath) + "..."
	}
	return "/..."
}

// serve judges, sends on and answers.
func (x *exchange) serve(in *http.Request) bool {
	x.row = x.session.ledger.add(x.conn.meter.Load(), app.Connection{
		Host: x.host.Name, Port: x.host.Port, Verdict: app.VerdictAllowed, Rule: x.entry.String(), Address: x.address(),
		Method: x.method, Path: x.path, StartedAt: time.Now(), Count: 1,
	})
	defer x.session.ledger.finish(x.row)
	x.old, x.keep = !in.ProtoAtLeast(1, 1), in.ProtoAtLeast(1, 1) && !in.Close
	x.body = newRequestBody(in, x.goOn)
	known, err := x.knownValues()
	if err != nil {
		return x.fail(x.session.unsearchedRule(err))
	}
	x.sealed = known != nil || x.session.incoming.Belongs(x.host.Name, x.host.Port)
	out := x.prepareRequest(in)
	swapper := x.session.swapper()
	keys, err := swapper.FillRequest(x.target(), out)
	if err != nil {
		return x.answerRefused(err)
	}
	keepTarget(out, in.RequestURI)
	if !x.session.carry(&x.conn.link, swapper, keys) {
		_ = out.Body.Close()
		return x.fail(rules.Restricted)
	}
	defer x.session.endRequest(&x.conn.link)
	x.amend(func(c *app.Connection) { c.Credentials = keys })
	if out.Body != nil && out.Body != http.NoBody {
		x.sent.ReadCloser, out.Body = out.Body, &x.sent
	}
	resp, err := x.transport.RoundTrip(out)
	if err != nil {
		return x.answerRefused(err)
	}
	defer resp.Body.Close()
	x.amend(func(c *app.Connection) { c.Status, c.Address = resp.StatusCode, x.address() })
	if resp.StatusCode == http.StatusSwitchingProtocols {
		return x.fail(rules.HostAnswer)
	}
	if known, err = x.knownValues(); err != nil { // anew: what was put in meanwhile may be in this answer
		return x.fail(x.session.unsearchedRule(err))
	}
	if x.sealed = x.sealed || known != nil; x.sealed {
		if err := x.session.incoming.MaskResponse(x.target(), resp, known); err != nil {
			return x.fail(rules.Unreadable)
		}
	}
	return x.pass(in.Method, resp)
}

func (x *exchange) target() swap.Target {
	return swap.Target{Host: x.host.Name, Port: x.host.Port, TLS: x.secure, Searched: x.sealed}
}

func (x *exchange) knownValues() (*swap.Values, error) {
	return x.session.gateway.known(x.ctx, x.host.Name, x.host.Port)
}

func (s *Session) swapper() *swap.Swapper {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.outgoing
}

func (x *exchange) amend(change func(*app.Connection)) { x.session.ledger.amend(x.row, change) }

// hopByHop fields concern our connection, not the host.
var hopByHop = []string{"Connection", "Keep-Alive", "Proxy-Connection", "Proxy-Authorization", "Te", "Trailer",
	"Transfer-Encoding", "Upgrade", "Http2-Settings"}

// prepareRequest returns the request for the host, still with placeholders.
func (x *exchange) prepareRequest(in *http.Request) *http.Request {
	out := in.WithContext(x.ctx)
	address := *in.URL
	out.URL = &address
	out.URL.Scheme, out.URL.Host = "http", net.JoinHostPort(x.host.Name, portText(x.host.Port))
	if x.secure {
		out.URL.Scheme = "https"
	}
	out.Host = hostField(x.host, x.secure)
	out.URL.RawPath = legalPath(in.RequestURI)
	out.RequestURI, out.Trailer = "", nil
	for _, list := range in.Header["Connection"] {
		for name := range strings.SplitSeq(list, ",") {
			out.Header.Del(strings.TrimSpace(name))
		}
	}
	for _, name := range hopByHop {
		out.Header.Del(name)
	}
	if _, ok := out.Header["User-Agent"]; !ok {
		out.Header["User-Agent"] = nil // or Go names itself
	}
	if x.sealed {
		swap.AskReadable(out.Header)
	}
	out.Body = http.NoBody
	if x.body != nil {
		out.Body = x.body
	} else {
		out.Header.Del("Expect")
	}
	return out
}

// goOn tells the box to send its body.
func (x *exchange) goOn() error {
	if _, err := x.out.WriteString("HTTP/1.1 100 Continue\r\n\r\n"); err != nil {
		return err
	}
	return x.out.Flush()
}

// answerViolation answers a malformed request. The connection must end: the next request's
// beginning is unknown.
func (x *exchange) answerViolation(v *head.Violation) bool {
	refusals := map[head.Kind]struct {
		rule   string
		status int
	}{
		head.Malformed: {rules.Malformed, http.StatusBadRequest},
		head.TooLarge:  {rules.TooLarge, http.StatusRequestHeaderFieldsTooLarge},
		head.Version:   {rules.HTTP2, http.StatusHTTPVersionNotSupported},
		head.WrongHost: {rules.Host, http.StatusMisdirectedRequest},
		head.Absolute:  {rules.Absolute, http.StatusMisdirectedRequest},
		head.Method:    {rules.Method, http.StatusMethodNotAllowed},
		head.Upgrade:   {rules.Upgrade, http.StatusNotImplemented},
		head.Expect:    {rules.Expect, http.StatusExpectationFailed},
	}
	r := refusals[v.Kind]
	return x.turnDown(r.rule, r.status, v.Detail)
}

// endIncomplete ends an incomplete head.
func (x *exchange) endIncomplete(err error) bool {
	var timeout net.Error
	if errors.As(err, &timeout) && timeout.Timeout() {
		return x.turnDown(rules.Slow, http.StatusRequestTimeout, "")
	}
	return x.turnDown(rules.Malformed, http.StatusBadRequest, "it ends in the middle of its head")
}

// turnDown refuses a request that has no row.
func (x *exchange) turnDown(rule string, status int, detail string) bool {
	c := x.record(rule, status)
	x.session.ledger.noteRefusal(c)
	why := rules.Explain(c)
	if detail != "" {
		why.Message += ": " + detail
	}
	x.keep = false
	_ = x.answer(status, rule, why)
	return false
}

func (x *exchange) record(rule string, status int) app.Connection {
	return app.Connection{
		Host: x.host.Name, Port: x.host.Port, Verdict: rules.Verdict(rule), Rule: rule, Method: x.method, Path: x.path,
		Status:    status,
		StartedAt: time.Now(), Count: 1,
	}
}

// answerRefused answers a request that was not wholly sent.
func (x *exchange) answerRefused(err error) bool {
	var r *swap.Refusal
	failed := x.sent.failed.Load()
	if x.ctx.Err() != nil || x.body.isBroken() {
		return x.fail(x.ruleOfRequest(err))
	}
	if errors.As(err, &r) || failed != nil && errors.As(*failed, &r) {
		return x.end(r.Rule, http.StatusForbidden, app.E(app.CodeForbidden, r.Message, r.Hint))
	}
	return x.fail(x.ruleOfRequest(err))
}

// fail answers by a rule.
func (x *exchange) fail(rule string) bool {
	status := http.StatusBadGateway
	switch {
	case rule == rules.Malformed:
		status = http.StatusBadRequest
	case rule == rules.Timeout:
		status = http.StatusGatewayTimeout
	case rule != rules.Unreadable && rules.Verdict(rule) == app.VerdictDenied:
		status = http.StatusForbidden
	}
	return x.end(rule, status, rules.Explain(x.record(rule, status)))
}

func (x *exchange) end(rule string, status int, why *app.Error) bool {
	x.amend(func(c *app.Connection) { c.Rule, c.Verdict, c.Status = rule, rules.Verdict(rule), status })
	if x.ctx.Err() != nil {
		return false
	}
	x.keep = x.keep && x.body.isFinished()
	return x.answer(status, rule, why) == nil && x.keep
}
