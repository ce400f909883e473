package heartbeat

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"net"
	"sync"
	"time"
)

const (
	// Beat is how often a side says that it's there.
	Beat = time.Second
	// Silence is how long a side hears nothing until it takes the link for lost.
	Silence = 7 * time.Second
	// MaxFrame is the largest frame, in bytes.
	MaxFrame = 64 << 10
)

// ErrSilent means that the peer was silent for too long. ErrFrame means that it broke the protocol.
var (
	ErrSilent = errors.New("nothing was heard from the other side for " + Silence.String())
	ErrFrame  = errors.New("the other side broke the protocol")
)

// Conn is a net.Conn with a fixed time limit; deadlines have no effect. A goroutine must read all
// the time, or beats are missed.
type Conn struct {
	in       io.Reader
	out      io.Writer
	shut     func() error
	silence  time.Duration
	watchdog *time.Timer

	reading sync.Mutex
	rest    int // bytes of the current frame that are still to be read

	writing sync.Mutex

	once sync.Once
	done chan struct{}
	why  error // of the end; set before done is closed
}

// New starts beating on out and listening on in. shut must make blocked Reads and Writes return;
// it's called once.
func New(in io.Reader, out io.Writer, shut func() error) *Conn {
	return start(in, out, shut, Beat, Silence)
}

func start(in io.Reader, out io.Writer, shut func() error, beat, silence time.Duration) *Conn {
	c := &Conn{in: in, out: out, shut: shut, silence: silence, done: make(chan struct{})}
	c.watchdog = time.AfterFunc(silence, func() { _ = c.end(ErrSilent) })
	go c.beat(beat)
	return c
}

// Done is closed when the connection has ended.
func (c *Conn) Done() <-chan struct{} { return c.done }

// Err says why the connection ended; it is nil before that.
func (c *Conn) Err() error {
	select {
	case <-c.done:
		return c.why
	default:
		return nil
	}
}

// Read implements net.Conn.
func (c *Conn) Read(p []byte) (int, error) {
	c.reading.Lock()
	defer c.reading.Unlock()
	for c.rest == 0 {
		var header [4]byte
		if _, err := io.ReadFull(heard{c}, header[:]); err != nil {
			return 0, c.failed(err)
		}
		n := binary.BigEndian.Uint32(header[:])
		if n > MaxFrame {
			return 0, c.failed(fmt.Errorf("%w: a frame of %d bytes", ErrFrame, n))
		}
		c.rest = int(n)
	}
	n, err := heard{c}.Read(p[:min(len(p), c.rest)])
	c.rest -= n
	if err != nil && n == 0 {
		return 0, c.failed(err)
	}
	return n, nil
}

// heard reads and winds the watchdog up.
type heard struct{ c *Conn }

func (h heard) Read(p []byte) (int, error) {
	n, err := h.c.in.Read(p)
	if n > 0 {
		h.c.watchdog.Reset(h.c.silence)
	}
	return n, err
}

// Write implements net.Conn.
func (c *Conn) Write(p []byte) (int, error) {
	c.writing.Lock()
	defer c.writing.Unlock()
	var sent int
	for len(p) > 0 {
		n := min(len(p), MaxFrame)
		if err := c.frame(p[:n]); err != nil {
			return sent, c.failed(err)
		}
		sent += n
		p = p[n:]
	}
	return sent, nil
}

// frame sends header and body in one write. A beat would cost a packet more.
func (c *Conn) frame(body []byte) error {
	buf := make([]byte, 4, 4+len(body))
	binary.BigEndian.PutUint32(buf, uint32(len(body))) //nolint:gosec // at most MaxFrame
	_, err := c.out.Write(append(buf, body...))
	return err
}

func (c *Conn) beat(every time.Duration) {
	tick := time.NewTicker(every)
	defer tick.Stop()
	for {
		select {
		case <-c.done:
			return
		case <-tick.C:
		}
		if !c.writing.TryLock() {
			continue // what is being written is a sign of life, or nothing gets through anyway
		}
		err := c.frame(nil)
		c.writing.Unlock()
		if err != nil {
			_ = c.failed(err)
			return
		}
	}
}

// failed ends the connection and returns the first reason of its end.
func (c *Conn) failed(err error) error {
	_ = c.end(err)
	<-c.done
	return c.why
}

func (c *Conn) end(why error) (err error) {
	c.once.Do(func() {
		c.why = why
		c.watchdog.Stop()
		close(c.done)
		err = c.shut()
	})
	return err
}

// Close implements net.Conn. The other side notices by the end of its stream.
func (c *Conn) Close() error { return c.end(net.ErrClosed) }

// LocalAddr implements net.Conn.
func (c *Conn) LocalAddr() net.Addr { return addr{} }

// RemoteAddr implements net.Conn.
func (c *Conn) RemoteAddr() net.Addr { return addr{} }

// SetDeadline implements net.Conn. It does nothing.
func (c *Conn) SetDeadline(time.Time) error { return nil }

// SetReadDeadline implements net.Conn. It does nothing.
func (c *Conn) SetReadDeadline(time.Time) error { return nil }

// SetWriteDeadline implements net.Conn. It does nothing.
func (c *Conn) SetWriteDeadline(time.Time) error { return nil }

type addr struct{}

func (addr) Network() string { return "heartbeat" }
func (addr) String() string  { return "heartbeat" }
