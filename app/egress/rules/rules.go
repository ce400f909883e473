package rules

import (
	"github.com/computclaw/airlock/app"
)

// Rules of refused and failed connections in the ledger. Allowed ones name their entry.
const (
	Name        = "name not valid"
	NotListed   = "not on the list"
	Port        = "port not on the list"
	Private     = "private address"
	ThisHost    = "this host's address"
	Listener    = "Airlock itself"
	Metadata    = "link-local or metadata address"
	Reserved    = "reserved address"
	Connections = "too many open connections"
	Total       = "too many connections in all"
	Refusals    = "too many different refusals"
	Rate        = "too many new connections"
	Bytes       = "too many bytes"
	Closed      = "execution ended"
	Cancelled   = "given up by the script"
	Unresolved  = "name does not resolve"
	ServicePort = "local service on another port"
	Refused     = "connection refused by the host"
	Timeout     = "no answer in time"
	Unreachable = "host not reachable"
	More        = "more connections"
	LongName    = "name too long for a wildcard"
	ManyNames   = "too many names under wildcards"
	Record      = "DNS record not answered"
)

// Rules about the traffic of open connections.
const (
	Authority    = "no certificate authority"
	Unknown      = "values of the host can't be read"
	NotTLS       = "not TLS"
	Handshake    = "TLS handshake failed in the script"
	Distrust     = "Airlock's certificate not trusted by the script"
	NoServerName = "TLS without a server name"
	ServerName   = "TLS server name of another host"
	ECH          = "encrypted TLS hello"
	HTTP2        = "HTTP/2 or another protocol than HTTP/1.1"
	Malformed    = "malformed request"
	TooLarge     = "request head too large"
	Slow         = "request head not sent in time"
	Host         = "Host of another host"
	Absolute     = "request target of a proxy"
	Method       = "method not allowed"
	Upgrade      = "change of protocol"
	Expect       = "expectation not supported"
	Restricted   = "hosts or credentials changed meanwhile"

	CertUntrusted = "certificate of the host not trusted"
	CertTime      = "certificate of the host expired or not yet valid"
	CertName      = "certificate of the host for another name"
	CertOther     = "certificate of the host not valid"
	HostNoTLS     = "host does not speak TLS"
	HostOldTLS    = "host speaks only old versions of TLS"
	HostHTTP2     = "host does not speak HTTP/1.1"
	HostTLS       = "TLS handshake failed with the host"
	HostBroke     = "connection broken by the host"
	HostAnswer    = "malformed answer of the host"
	Unreadable    = "answer can't be searched for sealed values"
)

// Verdict returns whether a rule is Airlock's refusal or a failure outside.
func Verdict(rule string) app.Verdict {
	switch rule {
	case Cancelled, Unresolved, Refused, Timeout, Unreachable,
		Distrust, CertUntrusted, CertTime, CertName, CertOther,
		HostNoTLS, HostOldTLS, HostHTTP2, HostTLS, HostBroke, HostAnswer:
		return app.VerdictFailed
	}
	return app.VerdictDenied
}
