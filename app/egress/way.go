package egress

import "github.com/computclaw/airlock/app"

// way is how the bytes of an allowed connection are treated.
type way int

const (
	wayRaw   way = iota // relayed, whatever they are
	wayTLS              // relayed, if they begin with a TLS hello for the host
	wayHTTP             // read as HTTP
	waySpeak            // read as HTTP inside TLS that we end
	wayGuess            // waySpeak if the box begins with TLS, else wayHTTP
)

// wayOf decides by the entry that allowed the connection, then by the port. sealed says that a
// sealed credential belongs to the host. An entry with protocol tcp or postgres is a person's word
// that it is neither HTTP nor TLS from the start: it is relayed, and a placeholder in it is only
// text.
func wayOf(entry app.Host, port int, sealed bool) way {
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
	case protocol == app.ProtocolTCP, protocol == app.ProtocolPostgres:
		return wayRaw
	case protocol == app.ProtocolHTTP:
		return wayHTTP
	case protocol == app.ProtocolHTTPS && sealed:
		return waySpeak
	case protocol == app.ProtocolHTTPS:
		return wayTLS
	case sealed:
		return wayGuess
	}
	return wayRaw
}

// NotChecked is in the rule of a connection that is relayed whatever it is: an entry allowed the
// name that was dialled, and what passes may be for any other that the same address serves.
const NotChecked = "server name not checked"

// allowedBy is the rule of an allowed connection.
func allowedBy(entry app.Host, w way) string {
	if w == wayRaw {
		return entry.String() + ", " + NotChecked
	}
	return entry.String()
}
