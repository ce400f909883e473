package egress

import (
	"fmt"
	"net"
	"strconv"

	"github.com/computclaw/airlock/app"
)

// The rules that a refused or failed connection names in the ledger. An allowed one names the entry
// that allowed it.
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
	RuleServicePort = "local service on another port"
	RuleRefused     = "connection refused by the host"
	RuleTimeout     = "no answer in time"
	RuleUnreachable = "host not reachable"
	RuleMore        = "more connections"
	RuleLongName    = "name too long for a wildcard"
	RuleManyNames   = "too many names under wildcards"
)

// The rules about what is said over a connection that was made.
const (
	RuleAuthority    = "no certificate authority"
	RuleUnknown      = "values of the host can't be read"
	RuleNotTLS       = "not TLS"
	RuleHandshake    = "TLS handshake failed in the script"
	RuleDistrust     = "Airlock's certificate not trusted by the script"
	RuleNoServerName = "TLS without a server name"
	RuleServerName   = "TLS server name of another host"
	RuleECH          = "encrypted TLS hello"
	RuleHTTP2        = "HTTP/2 or another protocol than HTTP/1.1"
	RuleMalformed    = "malformed request"
	RuleTooLarge     = "request head too large"
	RuleSlow         = "request head not sent in time"
	RuleHost         = "Host of another host"
	RuleAbsolute     = "request target of a proxy"
	RuleMethod       = "method not allowed"
	RuleUpgrade      = "change of protocol"
	RuleExpect       = "expectation not supported"
	RuleNarrowed     = "hosts or credentials changed meanwhile"

	RuleCertUntrusted = "certificate of the host not trusted"
	RuleCertTime      = "certificate of the host expired or not yet valid"
	RuleCertName      = "certificate of the host for another name"
	RuleCertOther     = "certificate of the host not valid"
	RuleHostNoTLS     = "host does not speak TLS"
	RuleHostOldTLS    = "host speaks only old versions of TLS"
	RuleHostHTTP2     = "host does not speak HTTP/1.1"
	RuleHostTLS       = "TLS handshake failed with the host"
	RuleHostBroke     = "connection broken by the host"
	RuleHostAnswer    = "malformed answer of the host"
	RuleUnreadable    = "answer can't be searched for sealed values"
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
	case RuleCancelled, RuleUnresolved, RuleRefused, RuleTimeout, RuleUnreachable,
		RuleDistrust, RuleCertUntrusted, RuleCertTime, RuleCertName, RuleCertOther,
		RuleHostNoTLS, RuleHostOldTLS, RuleHostHTTP2, RuleHostTLS, RuleHostBroke, RuleHostAnswer:
		return app.VerdictFailed
	}
	return app.VerdictDenied
}

// Explain tells an agent what a refused or failed row of a ledger means and what to do next. Code
// is CodeForbidden for a refusal and CodeUnreachable for a failure. It returns nil for an allowed
// connection.
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
		return "is not a host and port that can be reached",
			"Use a plain host name in ASCII, or an IP address in its usual form, and a port from 1 to 65535."
	case RuleNotListed:
		return "is not on this profile's host list", askFor(c)
	case RulePort:
		return "is on this profile's host list, but not with this port", askFor(c)
	case RulePrivate:
		return "leads to a private network",
			"If that is meant, ask the person to allow " + place(c) +
				" on the profile's page in Airlock with the tick for private networks. Then submit the script again."
	case RuleThisHost:
		return "leads to the machine that Airlock runs on",
			operator + "If a service on that machine is meant, ask the operator to name it in AIRLOCK_LOCAL_SERVICES as " +
				place(c) + "=127.0.0.1:PORT, and the person to allow " + place(c) + " on the profile."
	case RuleListener:
		return "leads to Airlock itself, which scripts can't reach",
			"Use settings, llm and set_result inside the script; call Airlock's API from outside it."
	case RuleMetadata:
		return "leads to a link-local or cloud metadata address",
			operator + "If the script needs credentials, ask the person to add them to the profile as keys."
	case RuleReserved:
		return "leads to an address that is not on the public internet", operator + "Check the host name."
	case RuleConnections:
		return "was refused because the execution has too many open connections",
			"Close connections that are done, or use fewer at a time."
	case RuleRate:
		return "was refused because the execution opens connections too fast",
			"Reuse connections, for example with httpx.Client()."
	case RuleBytes:
		return "was refused because the execution has moved as many bytes as it may", "Fetch less in one execution."
	case RuleClosed:
		return "was refused because the execution has ended", "Nothing to do."
	case RuleUnresolved:
		return "is allowed, but its name has no address where Airlock runs",
			"Check the spelling. If it is right, ask the person whether Airlock's machine can resolve it."
	case RuleServicePort:
		return "is allowed, but the operator gave this name of a service on Airlock's machine other ports only",
			"Use the port of the service, and ask the person to allow it on the profile; or ask the operator to add " +
				place(c) + "=127.0.0.1:PORT to AIRLOCK_LOCAL_SERVICES."
	case RuleRefused:
		return "is allowed, but the host refused the connection", "Check the port, and that the service is running."
	case RuleTimeout:
		return "is allowed, but the host did not answer in time",
			"Check the port, and ask the person whether a firewall stands between Airlock and the host."
	case RuleCancelled:
		return "was given up by the script before it was done", "Nothing to do."
	case RuleMore:
		return "stands for connections beyond the number of rows that are kept", "Open fewer connections in one execution."
	case RuleLongName:
		return "is covered by a wildcard, but too much stands in the place of the star",
			"Ask the person to allow " + place(c) + " by its own name."
	case RuleManyNames:
		return "is covered by a wildcard, but this execution has used as many names under wildcards as it may",
			"Use fewer host names in one execution, or ask the person to allow " + place(c) + " by its own name."
	}
	if what, hint, known := spoken(c); known {
		return what, hint
	}
	return "is allowed, but the host could not be reached", "Ask the person whether Airlock's machine can reach it."
}

func askFor(c app.Connection) string {
	if !Grantable(c.Host) {
		return "No entry of a profile can allow it. Check the host name; a service on Airlock's own machine has a name " +
			"that its operator gave it."
	}
	text := fmt.Sprintf("It now stands as a request on the profile's page in Airlock: ask the person to allow %s there, "+
		"then submit the script again. "+
		`POST /profiles/{id}/hosts {"hosts":[{"host":%q,"reason":"why"}]} gives the reason, or asks for what is beyond the few requests that one execution makes.`, place(c), place(c))
	if c.Port == 0 { // the box asked for the name alone
		text += fmt.Sprintf(" Without a port that means 443 and 80; for another, write it, such as %s.",
			net.JoinHostPort(c.Host, "5432"))
	}
	return text
}

// place is the host and port in the form that host lists read.
func place(c app.Connection) string {
	if c.Port == 0 {
		return c.Host
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
}
