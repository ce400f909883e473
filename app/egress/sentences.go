package egress

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/swap"
)

// spoken returns what is said about a rule on what passed over a connection that was made.
func spoken(c app.Connection) (what, hint string, known bool) {
	for _, list := range []map[string][2]string{aboutTheScript(c), aboutTheHost(), aboutSealed()} {
		if s, ok := list[c.Rule]; ok {
			return s[0], s[1], true
		}
	}
	return "", "", false
}

// aboutTheScript are the rules that the script's side broke.
func aboutTheScript(c app.Connection) map[string][2]string {
	const plain = "Send plain HTTP/1.1, as httpx, requests and urllib do."
	return map[string][2]string{
		RuleAuthority: {"belongs to a sealed credential, but this instance has no valid certificate authority to read " +
			"its connections with", "Tell the person who runs Airlock."},
		RuleUnknown: {"was cut off, because Airlock could not read the values that its answers are searched for",
			"Submit the script again; if it ends the same way, tell the person who runs Airlock."},
		RuleNotTLS: {"is allowed for TLS, but the first bytes were not the beginning of it",
			"Use https. If another protocol is meant, ask the person to allow " + place(c) +
				" with the protocol tcp on the profile's page in Airlock."},
		RuleHandshake: {"was connected, but the script's TLS handshake broke off or broke the rules",
			"Use TLS 1.2 or newer with an ordinary client."},
		RuleDistrust: {"was connected, but the script's client did not accept the certificate that Airlock shows for " +
			"hosts of sealed credentials",
			"Let the client use the CA bundle that SSL_CERT_FILE names, and don't pin certificates."},
		RuleNoServerName: {"was connected with TLS that names no server", "Let the client send the server name (SNI)."},
		RuleServerName:   {"was connected with TLS for another server name", "Connect to each host by its own name."},
		RuleECH: {"was connected with an encrypted TLS hello, whose server name can't be checked",
			"Switch Encrypted Client Hello off."},
		RuleHTTP2: {"was connected with HTTP/2 or another protocol, but Airlock reads HTTP/1.1 only where a sealed " +
			"credential belongs", "Let the client use HTTP/1.1, for example httpx.Client() without http2=True."},
		RuleMalformed: {"was sent a request that could be read in more than one way", plain},
		RuleTooLarge: {"was sent a request whose head is too large",
			"Send fewer or shorter headers and a shorter URL; put data into the body."},
		RuleSlow: {"was sent a request whose head did not arrive in time", "Send the whole head at once."},
		RuleHost: {"was sent a request for another host",
			"Don't set the Host header; connect to each host by its own name."},
		RuleAbsolute: {"was sent a request as if it were a proxy",
			"Connect to the host itself and don't set proxy variables; Airlock needs none."},
		RuleMethod: {"was sent a method that is not passed on",
			"CONNECT and TRACE are never allowed. Connect to each host by its own name."},
		RuleUpgrade: {"was asked to change the protocol, but Airlock passes on only HTTP/1.1 requests there",
			"Use plain requests instead of WebSocket or h2c. If a WebSocket is needed, ask the person to allow " + place(c) +
				" with another protocol or an injected credential."},
		RuleExpect: {"was sent an expectation that is not supported", "Leave the Expect header out."},
		RuleNarrowed: {"was cut off, because a person changed hosts or credentials at that moment",
			"Send the request again; if it is refused then, ask the person about it."},
		RuleUnreadable: {"answered in a way that can't be searched for sealed values, so the answer was held back",
			"Ask for another form of the answer, without compression."},
	}
}

// aboutTheHost are failures of the outer side.
func aboutTheHost() map[string][2]string {
	const certificate = " If it is the host's own authority, ask the person who runs Airlock to add its certificate " +
		"with AIRLOCK_EXTRA_CA."
	return map[string][2]string{
		RuleCertUntrusted: {"shows a certificate of an authority that Airlock does not trust",
			"Check the host name." + certificate},
		RuleCertTime: {"shows a certificate that is expired or not yet valid",
			"The host's operator must renew it; AIRLOCK_EXTRA_CA does not help."},
		RuleCertName: {"shows a certificate for another name",
			"Use the name that the certificate is for; AIRLOCK_EXTRA_CA does not help."},
		RuleCertOther:  {"shows a certificate that is not valid", "The host's operator must replace it." + certificate},
		RuleHostNoTLS:  {"does not speak TLS on this port", "Check the port, or use http if the person has allowed that."},
		RuleHostOldTLS: {"speaks only versions of TLS older than 1.2", "The host's operator must update it."},
		RuleHostHTTP2: {"does not speak HTTP/1.1, which Airlock uses where a sealed credential belongs",
			"Ask the person whether another address of the service speaks HTTP/1.1, or whether the credential can be injected."},
		RuleHostTLS: {"was reached, but the TLS handshake with it failed",
			"Check the port. The host may ask for a client certificate, which Airlock has not."},
		RuleHostBroke:  {"closed the connection before its answer was complete", "Try again if the request may be repeated."},
		RuleHostAnswer: {"sent an answer that is not proper HTTP/1.1", "Check the port, and that the service speaks HTTP."},
	}
}

// aboutSealed are the rules on placeholders.
func aboutSealed() map[string][2]string {
	return map[string][2]string{
		swap.RuleHost: {"was sent the placeholder of a sealed credential that does not belong to it",
			"Send it only to the hosts of that credential, which GET /profiles/{id} lists."},
		swap.RulePlain: {"was sent a sealed credential over plain HTTP", "Use https."},
		swap.RulePlace: {"was sent the placeholder of a sealed credential in a place that the credential does not allow",
			"Send it in a header, or ask the person to allow the place on the credential's page in Airlock."},
		swap.RuleHeader: {"was sent the placeholder of a sealed credential in a header that is not one of the credential's",
			"Send it in a header that the credential names; the 403 answer lists them. Or ask the person to add the header on " +
				"the credential's page in Airlock. Headers that are logged or that route can't be added."},
		swap.RuleEncoded: {"was sent the placeholder of a sealed credential in an encoded form", "Send it as it is."},
		swap.RuleUnknown: {"was sent something in the shape of a placeholder that is none of this execution",
			"Use the value from settings."},
		swap.RuleValue: {"was sent the placeholder of a sealed credential where its value can't stand",
			"Send it in another place, or ask the person to check the value."},
		swap.RuleBody: {"was sent a body in which placeholders can't be replaced",
			"Send it in a header, or as JSON, a form or plain text."},
		swap.RuleTooLarge: {"was sent a body that is too large to replace placeholders in",
			"Send the placeholder in a header, or the body in parts."},
	}
}
