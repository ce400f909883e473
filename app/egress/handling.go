package egress

import "github.com/computclaw/airlock/app"

type handling int

const (
	relayAny   handling = iota // relayed, whatever they are
	relayTLS                   // relayed, if they begin with a TLS hello for the host
	readHTTP                   // read as HTTP
	readTLS                    // read as HTTP inside TLS that we end
	readEither                 // readTLS if the box begins with TLS, else readHTTP
)

// handlingOf decides by the entry that allowed the connection, then by the port. sealed: a sealed
// credential belongs to the host. A person who sets tcp or postgres says that it is neither HTTP
// nor TLS from the start: it is relayed, and a placeholder in it is only text.
func handlingOf(entry app.Host, port int, sealed bool) handling {
	protocol := entry.Protocol
	if protocol == "" {
		switch port {
		case 443:
			protocol = app.ProtocolHTTPS
		case 80:
			protocol = app.ProtocolHTTP
		}
	}
	switch {
	case protocol.Raw():
		return relayAny
	case protocol == app.ProtocolHTTP:
		return readHTTP
	case protocol == app.ProtocolHTTPS && sealed:
		return readTLS
	case protocol == app.ProtocolHTTPS:
		return relayTLS
	case sealed:
		return readEither
	}
	return relayAny
}

// NotChecked marks a connection relayed unread. Its bytes may be for another name at the same
// address.
const NotChecked = "server name not checked"

// allowingRule is the rule of an allowed connection.
func allowingRule(entry app.Host, how handling) string {
	if how == relayAny {
		return entry.String() + ", " + NotChecked
	}
	return entry.String()
}
