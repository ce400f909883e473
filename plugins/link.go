package plugins

import (
	"context"
	"errors"
	"net"
	"sync"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"

	"github.com/computclaw/airlock/plugins/proto"
)

// ServeConn answers calls with impl over one connection until that ends or ctx does. All boxes are
// gone when it returns. The connection must itself be private and authenticated. It serves backends
// whose boxes live on another machine.
func ServeConn(ctx context.Context, conn net.Conn, impl Sandbox) error {
	side := newServerSide(impl)
	defer side.killAll()
	server := newServer(nil)
	proto.RegisterSandboxServer(server, side)
	only := &oneConn{conn: &watchedConn{Conn: conn, closed: make(chan struct{})}, rest: make(chan struct{})}
	stop := context.AfterFunc(ctx, func() { _ = only.Close() })
	defer stop()
	err := server.Serve(only)
	conn.Close() // before Stop, which waits for a writer that may be stuck in it
	server.Stop()
	if errors.Is(err, net.ErrClosed) {
		return ctx.Err()
	}
	return err
}

// oneConn is a listener that accepts once and fails when that connection has ended.
type oneConn struct {
	conn     *watchedConn
	accept   sync.Once
	shutdown sync.Once
	rest     chan struct{}
}

func (l *oneConn) Accept() (net.Conn, error) {
	var first net.Conn
	l.accept.Do(func() { first = l.conn })
	if first != nil {
		return first, nil
	}
	select {
	case <-l.conn.closed:
	case <-l.rest:
	}
	return nil, net.ErrClosed
}

func (l *oneConn) Close() error {
	l.shutdown.Do(func() { close(l.rest) })
	return nil
}

func (l *oneConn) Addr() net.Addr { return l.conn.LocalAddr() }

// watchedConn tells when it was closed.
type watchedConn struct {
	net.Conn
	once   sync.Once
	closed chan struct{}
}

func (c *watchedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// Link is the Sandbox, and the Meter if any, at the other end of ServeConn. Safe for concurrent
// use. After the connection's end all calls return ErrLost.
type Link struct {
	*remote
	client *grpc.ClientConn
}

// NewLink takes conn over. The caller must Close the link.
func NewLink(conn net.Conn) (*Link, error) {
	var once sync.Once
	dial := func(context.Context, string) (net.Conn, error) {
		var first net.Conn
		once.Do(func() { first = conn })
		if first == nil {
			return nil, net.ErrClosed
		}
		return first, nil
	}
	client, err := grpc.NewClient("passthrough:///link", append(dialOptions(),
		grpc.WithContextDialer(dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()), // the connection has its own
		grpc.WithIdleTimeout(0),                                  // idle boxes are boxes
	)...)
	if err != nil {
		return nil, err
	}
	return &Link{remote: newRemote(client), client: client}, nil
}

// Close ends the connection and with it every box on the other side.
func (l *Link) Close() error { return l.client.Close() }
