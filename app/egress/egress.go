// Package egress is the one way out of a box: allow-list, name and address rules, dialling and the ledger.
package egress

import (
	"context"
	"io"
	"net/netip"

	"github.com/computclaw/airlock/app"
)

// Config is what the operator decides for all executions.
type Config struct {
	// LocalServices are the exact pairs of AIRLOCK_LOCAL_SERVICES: canonical "name:port" to an address on this host.
	LocalServices map[string]netip.AddrPort
	// Listener is Airlock's own port; it is never reachable, whatever address it is tried on.
	Listener netip.AddrPort
}

// Gateway dials for boxes. One serves the whole process. It is safe for concurrent use.
type Gateway struct{}

// New returns a Gateway.
func New(cfg Config) *Gateway { panic("not built") }

// Session starts the egress of one execution. record is called for every finished or refused connection, from any goroutine.
func (g *Gateway) Session(hosts []app.Host, record func(app.Connection)) *Session { panic("not built") }

// Session is one execution's egress. It is safe for concurrent use.
type Session struct{}

// Conn is an open connection to an allowed host. Closing it writes its ledger row.
type Conn interface {
	io.ReadWriteCloser
	// CloseWrite ends the sending side, as TCP's FIN does.
	CloseWrite() error
}

// Dial decides about host and port, which come from the box and are not trusted, resolves, checks every address and dials the checked one.
// A refusal is an *app.Error with CodeForbidden whose hint names the next step; it has been recorded.
func (s *Session) Dial(ctx context.Context, host string, port int) (Conn, error) { panic("not built") }

// Refused records a name that the box's resolver did not answer because it is not on the list.
func (s *Session) Refused(host string) { panic("not built") }

// Close cuts every open connection and refuses new ones.
func (s *Session) Close() { panic("not built") }
