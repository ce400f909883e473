package pipe

import (
	"io"
	"net"
	"time"
)

// End is a net.Conn at one end of a pipe. Reads and writes may be concurrent.
type End struct {
	in, out *half
}

var (
	_ net.Conn      = (*End)(nil)
	_ io.WriterTo   = (*End)(nil)
	_ io.ReaderFrom = (*End)(nil)
)

// New returns both ends of a pipe.
func New() (*End, *End) {
	a, b := newHalf(), newHalf()
	return &End{in: a, out: b}, &End{in: b, out: a}
}

// Read returns what the other end wrote, io.EOF after its CloseWrite or Close.
func (e *End) Read(p []byte) (int, error) { return e.in.Read(p) }

// Wait returns when Read would not block, so a waiting reader needs no buffer.
func (e *End) Wait() { e.in.wait() }

// WriteTo copies arriving bytes to w until the other end finishes.
func (e *End) WriteTo(w io.Writer) (int64, error) { return e.in.WriteTo(w) }

// Write blocks while the buffer is full. It fails with io.ErrClosedPipe after CloseWrite.
func (e *End) Write(p []byte) (int, error) { return e.out.Write(p) }

// ReadFrom sends what r gives until its end.
func (e *End) ReadFrom(r io.Reader) (int64, error) { return e.out.ReadFrom(r) }

// CloseWrite ends the sending direction in order.
func (e *End) CloseWrite() error {
	e.out.finish()
	return nil
}

// CloseRead ends the receiving direction; later bytes are dropped.
func (e *End) CloseRead() error {
	e.in.ignore()
	return nil
}

// Close ends both directions in order. The peer can still read buffered data; its own bytes are
// dropped.
func (e *End) Close() error {
	e.out.finish()
	e.in.ignore()
	return nil
}

// Break fails both directions of both ends with err and drops buffered bytes.
func (e *End) Break(err error) {
	e.in.fail(err)
	e.out.fail(err)
}

// SetDeadline sets the time limits of reading and writing.
func (e *End) SetDeadline(t time.Time) error {
	_ = e.SetReadDeadline(t)
	return e.SetWriteDeadline(t)
}

// SetReadDeadline sets the time limit of reading; the zero time is none.
func (e *End) SetReadDeadline(t time.Time) error {
	e.in.limit(&e.in.read, t)
	return nil
}

// SetWriteDeadline sets the time limit of writing; the zero time is none.
func (e *End) SetWriteDeadline(t time.Time) error {
	e.out.limit(&e.out.write, t)
	return nil
}

// LocalAddr is a name, not an address.
func (e *End) LocalAddr() net.Addr { return address{} }

// RemoteAddr is a name, not an address.
func (e *End) RemoteAddr() net.Addr { return address{} }

type address struct{}

func (address) Network() string { return "pipe" }
func (address) String() string  { return "pipe" }
