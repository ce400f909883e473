package egress

import (
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
	RuleTotal       = "too many connections in all"
	RuleRefusals    = "too many different refusals"
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
	RuleRecord      = "DNS record not answered"
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
	RuleRestricted   = "hosts or credentials changed meanwhile"

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
