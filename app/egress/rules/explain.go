package rules

import (
	"fmt"
	"net"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
	"github.com/computclaw/airlock/plugins/wire"
)

// explanation is a rule's meaning and an agent's next step. {place}: host and port. {ask}: how to
// ask a person for them.
type explanation struct{ what, hint string }

var explanations = map[string]explanation{
	Name: {"is not a host and port that can be reached",
		"Use a plain host name in ASCII, and a port from 1 to 65535."},
	NotListed: {"is not on this profile's host list", "{ask}"},
	Port:      {"is on this profile's host list, but not with this port", "{ask}"},
	Private: {"leads to a private network",
		"If you mean that, ask the person to allow {place} under Access on the profile's page in Airlock, with the " +
			"tick \"Allow private network addresses\". Then submit the script again."},
	ThisHost: {"leads to the machine that Airlock runs on",
		"No entry of a profile can allow it. If you mean a service on that machine, ask the operator to name it in " +
			"AIRLOCK_LOCAL_SERVICES as {place}=127.0.0.1:PORT, and the person to allow {place} on the profile."},
	Listener: {"leads to Airlock itself, which scripts can't reach",
		"Use settings, llm and set_result inside the script; call Airlock's API from outside it."},
	Metadata: {"leads to a link-local or cloud metadata address",
		"No entry of a profile can allow it. If the script needs credentials, ask the person to add them to the " +
			"profile as keys."},
	Reserved: {"leads to an address that is not on the public internet",
		"No entry of a profile can allow it. Check the host name."},
	Connections: {
		fmt.Sprintf("was refused because %d connections of the execution were open and none of them ended in time",
			wire.MaxConnects),
		fmt.Sprintf("Close connections that are done, or use at most %d at a time, for example with "+
			"httpx.Limits(max_connections=%d) or aiohttp.TCPConnector(limit=%d).", wire.MaxConnects, wire.MaxConnects,
			wire.MaxConnects),
	},
	Total: {fmt.Sprintf("was refused because the execution has made %d connections, as many as it may",
		wire.MaxConnections),
		"Reuse connections, for example with httpx.Client(), or divide the work among several executions."},
	Refusals: {fmt.Sprintf("was refused after %d others, and refusals after it are not recorded", wire.MaxRefusals),
		"Connect only to hosts and ports that the profile allows; GET /profiles/self lists them."},
	Rate: {"was refused because the execution opens connections too fast",
		"Reuse connections, for example with httpx.Client()."},
	Bytes:  {"was refused because the execution has used up its bytes", "Fetch less in one execution."},
	Closed: {"was refused because the execution has ended", "Nothing to do."},
	Unresolved: {"is allowed, but its name has no address where Airlock runs",
		"Check the spelling. If it is right, ask the person whether Airlock's machine can resolve it."},
	ServicePort: {"is allowed, but the operator gave this name of a service on Airlock's machine other ports only",
		"Use the port of the service, and ask the person to allow it on the profile; or ask the operator to add " +
			"{place}=127.0.0.1:PORT to AIRLOCK_LOCAL_SERVICES."},
	Refused: {"is allowed, but the host refused the connection",
		"Check the port, and that the service is running."},
	Timeout: {"is allowed, but the host did not answer in time",
		"Check the port, and ask the person whether a firewall stands between Airlock and the host."},
	Cancelled: {"was given up by the script", "Nothing to do."},
	More: {"counts connections for which the ledger has no more rows",
		"Open fewer connections in one execution."},
	LongName: {"is covered by a wildcard, but its name is too long for that",
		"Ask the person to allow {place} by its own name."},
	ManyNames: {"is covered by a wildcard, but this execution has used too many names under wildcards",
		"Use fewer host names in one execution, or ask the person to allow {place} by its own name."},

	Record: {"was asked for a DNS record other than an address, which no script gets",
		"Name each server and its port instead, such as mongodb://host:27017 in place of mongodb+srv://, and ask for those " +
			"hosts. What else stands in the record, such as TXT options, goes into the script."},

	// What the script said over a connection.
	Authority: {
		"belongs to a sealed credential, but this instance has no valid certificate authority to read its " +
			"connections with",
		"Tell the person who runs Airlock.",
	},
	Unknown: {"was cut off, because Airlock could not read the values that its answers are searched for",
		"Submit the script again; if it ends the same way, tell the person who runs Airlock."},
	NotTLS: {"is allowed for TLS, but the script did not begin with TLS",
		"Use https. If you mean another protocol, ask the person to add {place} with that protocol, such as Raw TCP, on " +
			"the profile's page in Airlock."},
	Handshake: {"was connected, but the script's TLS handshake failed",
		"Use TLS 1.2 or newer with an ordinary client."},
	Distrust: {
		"was connected, but the script's client did not accept the certificate that Airlock shows for hosts of " +
			"sealed credentials",
		"Let the client use the CA bundle that SSL_CERT_FILE names, and don't pin certificates.",
	},
	NoServerName: {"was connected with TLS that names no server", "Let the client send the server name (SNI)."},
	ServerName:   {"was connected with TLS for another server name", "Connect to each host by its own name."},
	ECH: {"was connected with an encrypted TLS hello, whose server name can't be checked",
		"Switch Encrypted Client Hello off."},
	HTTP2: {
		"was connected with HTTP/2 or another protocol, but Airlock reads HTTP/1.1 only where a sealed credential " +
			"belongs",
		"Let the client use HTTP/1.1, for example httpx.Client() without http2=True.",
	},
	Malformed: {"was sent a request that could be read in more than one way",
		"Send plain HTTP/1.1, as httpx, requests and urllib do."},
	TooLarge: {"was sent a request whose head is too large",
		"Send fewer or shorter headers and a shorter URL; put data into the body."},
	Slow: {"was sent a request whose head did not arrive in time", "Send the whole head at once."},
	Host: {"was sent a request for another host",
		"Don't set the Host header; connect to each host by its own name."},
	Absolute: {"was sent a request as if it were a proxy",
		"Connect to the host itself and don't set proxy variables; Airlock needs none."},
	Method: {"was sent a method that is not passed on",
		"CONNECT and TRACE are never allowed. Connect to each host by its own name."},
	Upgrade: {"was asked to change the protocol, but Airlock passes on only HTTP/1.1 requests there",
		"Use plain requests instead of a WebSocket. wss:// on port 443 works with hosts that no sealed credential belongs " +
			"to; for the others ask the person for an injected credential."},
	Expect: {"was sent an expectation that is not supported", "Leave the Expect header out."},
	Restricted: {"was cut off, because a person changed hosts or credentials at that moment",
		"Send the request again; if it is refused then, ask the person about it."},
	Unreadable: {"answered in a way that can't be searched for sealed values, so the answer was held back",
		"Ask for another form of the answer, without compression."},

	// What the host did.
	CertUntrusted: {"shows a certificate of an authority that Airlock does not trust",
		"Check the host name. If it is the host's own authority, ask the person who runs Airlock to add its " +
			"certificate with AIRLOCK_EXTRA_CA."},
	CertTime: {"shows a certificate that is expired or not yet valid",
		"The host's operator must renew it; AIRLOCK_EXTRA_CA does not help."},
	CertName: {"shows a certificate for another name",
		"Use the name that the certificate is for; AIRLOCK_EXTRA_CA does not help."},
	CertOther: {"shows a certificate that is not valid",
		"The host's operator must replace it. If it is the host's own authority, ask the person who runs Airlock " +
			"to add its certificate with AIRLOCK_EXTRA_CA."},
	HostNoTLS:  {"does not speak TLS on this port", "Check the port, or use http if the person has allowed that."},
	HostOldTLS: {"speaks only versions of TLS older than 1.2", "The host's operator must update it."},
	HostHTTP2: {"does not speak HTTP/1.1, which Airlock uses where a sealed credential belongs",
		"Ask the person whether another address of the service speaks HTTP/1.1, or whether the credential can be " +
			"injected."},
	HostTLS: {"was reached, but the TLS handshake with it failed",
		"Check the port. The host may ask for a client certificate, which Airlock does not have."},
	HostBroke: {"closed the connection before its answer was complete",
		"Try again if the request may be repeated."},
	HostAnswer: {"sent an answer that is not proper HTTP/1.1", "Check the port, and that the service speaks HTTP."},

	// Placeholders.
	swap.RuleHost: {"was sent the placeholder of a sealed credential that does not belong to it",
		"Send it only to the hosts of that credential, which GET /profiles/{id} lists."},
	swap.RulePlain: {"was sent a sealed credential over plain HTTP",
		"Use https. If the host speaks plain HTTP only, ask the person to tick plain HTTP for this credential in Airlock."},
	swap.RulePlace: {"was sent the placeholder of a sealed credential in a place that the credential does not allow",
		"Send it in a header, or ask the person to allow the place on the credential's page in Airlock."},
	swap.RuleHeader: {"was sent the placeholder of a sealed credential in a header that is not one of the credential's",
		"Send it in a header that the credential names; the 403 answer lists them. Or ask the person to add the " +
			"header on the credential's page in Airlock. Headers that are logged or that route can't be added."},
	swap.RuleEncoded: {"was sent the placeholder of a sealed credential in an encoded form", "Send it as it is."},
	swap.RuleUnknown: {"was sent something in the shape of a placeholder that this execution does not know",
		"Use the value from settings."},
	swap.RuleValue: {"was sent the placeholder of a sealed credential where its value can't stand",
		"Send it in another place, or ask the person to check the value."},
	swap.RuleBody: {"was sent a body in which placeholders can't be replaced",
		"Send it in a header, or as JSON, a form or plain text."},
	swap.RuleTooLarge: {"was sent a body that is too large to replace placeholders in",
		"Send the placeholder in a header, or the body in parts."},
}

// byAddress explains a refused address: no box has a route to any, so allowing it would not help.
var byAddress = explanation{
	"is an address, and scripts reach hosts by their names only",
	"An entry for the address does not help. Use the host's name and ask the person to allow that. If it has none, ask " +
		"the operator to name it in AIRLOCK_LOCAL_SERVICES as NAME:PORT={place}, and the person to allow NAME:PORT.",
}

var unexplained = explanation{
	"is allowed, but the host could not be reached", "Ask the person whether Airlock's machine can reach it.",
}

// Explain is Advice.Explain without knowledge of the profile.
func Explain(c app.Connection) *app.Error { return Advice{}.Explain(c) }

// Explain tells an agent what a refused or failed row means, and what to do.
//
// Codes: CodeForbidden for a refusal, CodeUnreachable for a failure. It is nil for an allowed
// connection.
func (a Advice) Explain(c app.Connection) *app.Error {
	if c.Verdict == app.VerdictAllowed {
		return nil
	}
	code := app.CodeForbidden
	if c.Verdict == app.VerdictFailed {
		code = app.CodeUnreachable
	}
	e, ok := explanations[c.Rule]
	if !ok {
		e = unexplained
	}
	if (c.Rule == NotListed || c.Rule == Port) && isUsableAddress(c.Host) {
		e = byAddress
	}
	hint := e.hint
	if hint == "{ask}" {
		hint = a.nearby(c) + a.howToAsk(c)
	}
	return app.E(code, fmt.Sprintf("%s %s (rule: %s)", Place(c), e.what, c.Rule),
		strings.ReplaceAll(hint, "{place}", Place(c)))
}

// Place returns host and port as host lists read them.
func Place(c app.Connection) string {
	if c.Port == 0 {
		return c.Host
	}
	return net.JoinHostPort(c.Host, strconv.Itoa(c.Port))
}
