package egress

import (
	"fmt"
	"net"
	"strconv"

	"github.com/computclaw/airlock/app"
)

// The rules that a refused or failed connection names in the ledger. An allowed one names the entry that allowed it.
const (
	RuleName        = "name not valid"
	RuleNotListed   = "not on the list"
	RulePort        = "port not on the list"
	RulePrivate     = "private address"
	RuleThisHost    = "this host's address"
	RuleListener    = "Airlock itself"
	RuleMetadata    = "link-local or metadata address"
	RuleReserved    = "reserved address"
	RuleConnections = "too many open connections"
	RuleRate        = "too many new connections"
	RuleBytes       = "too many bytes"
	RuleClosed      = "execution ended"
	RuleCancelled   = "given up by the script"
	RuleUnresolved  = "name does not resolve"
	RuleRefused     = "connection refused by the host"
	RuleTimeout     = "no answer in time"
	RuleUnreachable = "host not reachable"
	RuleMore        = "more connections"
)

// denial carries a rule through the dialler.
type denial struct {
	rule  string
	cause error
}

func denied(rule string, cause error) error { return &denial{rule: rule, cause: cause} }

func (d *denial) Error() string { return d.rule }

// verdictOf tells whether a rule is a refusal of Airlock or a failure outside it.
func verdictOf(rule string) app.Verdict {
	switch rule {
	case RuleCancelled, RuleUnresolved, RuleRefused, RuleTimeout, RuleUnreachable:
		return app.VerdictFailed
	}
	return app.VerdictDenied
}

// Explain tells an agent what a refused or failed row of a ledger means and what to do next. Code is CodeForbidden for a refusal and
// CodeUnreachable for a failure. It returns nil for an allowed connection.
func Explain(c app.Connection) *app.Error {
	if c.Verdict == app.VerdictAllowed {
		return nil
	}
	code := app.CodeForbidden
	if c.Verdict == app.VerdictFailed {
		code = app.CodeUnreachable
	}
	what, hint := sentences(c)
	return app.E(code, fmt.Sprintf("%s %s (rule: %s)", place(c), what, c.Rule), hint)
}

// sentences returns what is said about a place, and the next step.
func sentences(c app.Connection) (what, hint string) {
	const operator = "No entry of a profile can allow it. "
	switch c.Rule {
	case RuleName:
		return "is not a host and port that can be reached", "Use a plain host name in ASCII, or an IP address in its usual form, and a port from 1 to 65535."
	case RuleNotListed:
		return "is not on this profile's host list", askFor(c)
	case RulePort:
		return "is on this profile's host list, but not with this port", askFor(c)
	case RulePrivate:
		return "leads to a private network", "If that is meant, ask the person to allow " + place(c) + " on the profile's page in Airlock with the tick for private networks. Then submit the script again."
	case RuleThisHost:
		return "leads to the machine that Airlock runs on", operator + "If a service on that machine is meant, ask the operator to name it in AIRLOCK_LOCAL_SERVICES as " + place(c) + "=127.0.0.1:PORT, and the person to allow " + place(c) + " on the profile."
	case RuleListener:
		return "leads to Airlock itself, which scripts can't reach", "Use settings, llm and set_result inside the script; call Airlock's API from outside it."
	case RuleMetadata:
		return "leads to a link-local or cloud metadata address", operator + "If the script needs credentials, ask the person to add them to the profile as keys."
	case RuleReserved:
		return "leads to an address that is not on the public internet", operator + "Check the host name."
	case RuleConnections:
		return "was refused because the execution has too many open connections", "Close connections that are done, or use fewer at a time."
	case RuleRate:
		return "was refused because the execution opens connections too fast", "Reuse connections, for example with httpx.Client()."
	case RuleBytes:
		return "was refused because the execution has moved as many bytes as it may", "Fetch less in one execution."
	case RuleClosed:
		return "was refused because the execution has ended", "Nothing to do."
	case RuleUnresolved:
		return "is allowed, but its name has no address where Airlock runs", "Check the spelling. If it is right, ask the person whether Airlock's machine can resolve it."
	case RuleRefused:
		return "is allowed, but the host refused the connection", "Check the port, and that the service is running."
	case RuleTimeout:
		return "is allowed, but the host did not answer in time", "Check the port, and ask the person whether a firewall stands between Airlock and the host."
	case RuleCancelled:
		return "was given up before it was connected", "Nothing to do."
	case RuleMore:
		return "stands for connections beyond the number of rows that are kept", "Open fewer connections in one execution."
	}
	return "is allowed, but the host could not be reached", "Ask the person whether Airlock's machine can reach it."
}

func askFor(c app.Connection) string {
	return fmt.Sprintf("If the script needs it, ask the person to allow %s: propose it with POST /profiles/{id}/hosts "+
		`{"hosts":[{"host":%q,"reason":"why"}]}, or ask them to add it on the profile's page in Airlock. Then submit the script again.`, place(c), place(c))
}

// place is the host and port in the form that host lists read.
func place(c app.Connection) string {
	if c.Port == 0 {
		return c.Host
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
}
