package plugins

import (
	"context"
	"errors"
	"io"
	"net"
	"sync"
	"time"

	"google.golang.org/grpc"
	"google.golang.org/grpc/credentials/insecure"
	"google.golang.org/grpc/keepalive"

	"github.com/computclaw/airlock/plugins/proto"
)

// A link's end that hears nothing asks for a sign of life, and gives up without an answer. gRPC's
// clients ask every ten seconds at most.
const (
	askAfter      = 2 * time.Second // where the boxes are
	askAfterHere  = 10 * time.Second
	answersWithin = 5 * time.Second
)

// ServeConn answers calls with impl over one connection until that ends or ctx does. All boxes are
// gone when it returns. The connection must itself be private and authenticated. It serves backends
// whose boxes live on another machine.
func ServeConn(ctx context.Context, conn net.Conn, impl Sandbox) error {
	side := newServerSide(impl)
	defer side.killAll()
	server := newServer([]grpc.ServerOption{
		grpc.KeepaliveParams(keepalive.ServerParameters{Time: askAfter, Timeout: answersWithin}),
		grpc.KeepaliveEnforcementPolicy(keepalive.EnforcementPolicy{MinTime: askAfterHere / 2, PermitWithoutStream: true}),
	})
	proto.RegisterSandboxServer(server, side)
	only := &oneConn{conn: watch(conn), rest: make(chan struct{})}
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

func watch(conn net.Conn) *watchedConn { return &watchedConn{Conn: conn, closed: make(chan struct{})} }

func (c *watchedConn) Close() error {
	c.once.Do(func() { close(c.closed) })
	return c.Conn.Close()
}

// streams is a connection of two streams.
type streams struct {
	io.Reader
	io.Writer
	shut func() error
}

// Streams returns a connection that reads from in and writes to out. shut must make blocked calls
// of both return; it is called once. Deadlines have no effect.
func Streams(in io.Reader, out io.Writer, shut func() error) net.Conn {
	return streams{in, out, sync.OnceValue(shut)}
}

func (s streams) Close() error                     { return s.shut() }
func (s streams) LocalAddr() net.Addr              { return &net.UnixAddr{Net: "streams"} }
func (s streams) RemoteAddr() net.Addr             { return s.LocalAddr() }
func (s streams) SetDeadline(time.Time) error      { return nil }
func (s streams) SetReadDeadline(time.Time) error  { return nil }
func (s streams) SetWriteDeadline(time.Time) error { return nil }

// Link is the Sandbox, and the Meter if any, at the other end of ServeConn. Safe for concurrent
// use. After the connection's end all calls return ErrLost.
type Link struct {
	*remote
	client *grpc.ClientConn
	conn   *watchedConn
}

// NewLink takes conn over. The caller must Close the link.
func NewLink(conn net.Conn) (*Link, error) {
	var once sync.Once
	watched := watch(conn)
	dial := func(context.Context, string) (net.Conn, error) {
		var first net.Conn
		once.Do(func() { first = watched })
		if first == nil {
			return nil, net.ErrClosed
		}
		return first, nil
	}
	client, err := grpc.NewClient("passthrough:///link", append(dialOptions(),
		grpc.WithContextDialer(dial),
		grpc.WithTransportCredentials(insecure.NewCredentials()), // the connection has its own
		grpc.WithIdleTimeout(0),                                  // idle boxes are boxes
		grpc.WithKeepaliveParams(keepalive.ClientParameters{Time: askAfterHere, Timeout: answersWithin,
			PermitWithoutStream: true}),
	)...)
	if err != nil {
		return nil, err
	}
	return &Link{remote: newRemote(client), client: client, conn: watched}, nil
}

// IsLost reports whether the connection has ended.
func (l *Link) IsLost() bool {
	select {
	case <-l.conn.closed:
		return true
	default:
		return false
	}
}

// Close ends the connection and with it every box on the other side.
func (l *Link) Close() error { return l.client.Close() }
