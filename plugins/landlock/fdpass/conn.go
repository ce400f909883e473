package fdpass

import (
	"encoding/binary"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"os"

	"golang.org/x/sys/unix"
)

// FD is the guest's descriptor of the connection.
const FD = 3

// Mode is the argument that tells a guest that there is a supervisor.
const Mode = "supervised"

// Kind says what a message is.
type Kind byte

// The kinds of messages.
const (
	Hello   Kind = 'H' // guest: connections are taken from now on
	Welcome Kind = 'W' // supervisor: the ruleset is applied; ABI
	Begin   Kind = 'B' // guest: from now on something else than Airlock's own programs may run
	Freeze  Kind = 'F' // guest: stop (On) or continue every process but the guest
	Frozen  Kind = 'Z' // supervisor: On is the state that was reached
	Connect Kind = 'C' // supervisor, with a connected socket: somebody in the box wants to reach To; ID
	Verdict Kind = 'V' // guest: ID's connection is taken if Errno is 0, else the caller gets that error
)

// Message is one packet. Only what its kind needs is set.
type Message struct {
	Kind  Kind
	On    bool
	ABI   uint8
	ID    uint32
	Errno unix.Errno
	To    netip.AddrPort // IPv4
}

const size = 20

// ErrMessage is wrapped by errors that mean that the other side sent something else.
var ErrMessage = errors.New("bad message between guest and supervisor")

func (m Message) encode() []byte {
	b := make([]byte, size)
	b[0], b[2] = byte(m.Kind), m.ABI
	if m.On {
		b[1] = 1
	}
	binary.BigEndian.PutUint32(b[4:], m.ID)
	binary.BigEndian.PutUint32(b[8:], uint32(m.Errno))
	if m.To.Addr().Is4() {
		address := m.To.Addr().As4()
		copy(b[12:], address[:])
		binary.BigEndian.PutUint16(b[16:], m.To.Port())
	}
	return b
}

func decode(b []byte) (Message, error) {
	if len(b) != size || b[1] > 1 {
		return Message{}, fmt.Errorf("%w: %d bytes", ErrMessage, len(b))
	}
	return Message{
		Kind: Kind(b[0]), On: b[1] == 1, ABI: b[2],
		ID: binary.BigEndian.Uint32(b[4:]), Errno: unix.Errno(binary.BigEndian.Uint32(b[8:])),
		To: netip.AddrPortFrom(netip.AddrFrom4([4]byte(b[12:16])), binary.BigEndian.Uint16(b[16:])),
	}, nil
}

// Conn is one side. Send may be called by several goroutines, Receive by one.
type Conn struct{ conn *net.UnixConn }

// Open takes over the descriptor of one side.
func Open(file *os.File) (*Conn, error) {
	conn, err := net.FileConn(file)
	file.Close()
	if err != nil {
		return nil, fmt.Errorf("fdpass: %w", err)
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok || unixConn.LocalAddr().Network() != "unixpacket" {
		conn.Close()
		return nil, errors.New("fdpass: not a Unix socket of sequenced packets")
	}
	return &Conn{unixConn}, nil
}

// Pair returns the descriptors of both sides.
func Pair() (supervisor, guest *os.File, err error) {
	pair, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("fdpass: %w", err)
	}
	return os.NewFile(uintptr(pair[0]), "fdpass"), os.NewFile(uintptr(pair[1]), "fdpass"), nil
}

// Send sends m, with descriptor fd unless that is negative.
func (d *Conn) Send(m Message, fd int) error {
	var rights []byte
	if fd >= 0 {
		rights = unix.UnixRights(fd)
	}
	_, _, err := d.conn.WriteMsgUnix(m.encode(), rights, nil)
	return err
}

// Receive returns the next message and its descriptor, or -1. It fails when the other side has
// ended or sent an invalid message.
func (d *Conn) Receive() (Message, int, error) {
	b, rights := make([]byte, size+1), make([]byte, unix.CmsgSpace(4*8))
	n, rightsLen, _, _, err := d.conn.ReadMsgUnix(b, rights)
	if err != nil {
		return Message{}, -1, err
	}
	fds := descriptors(rights[:rightsLen])
	m, err := decode(b[:n])
	if err != nil || len(fds) > 1 {
		for _, fd := range fds {
			unix.Close(fd)
		}
		return Message{}, -1, errors.Join(err, ErrMessage)
	}
	if len(fds) == 1 {
		return m, fds[0], nil
	}
	return m, -1, nil
}

// Close ends this side.
func (d *Conn) Close() error { return d.conn.Close() }

func descriptors(rights []byte) []int {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	var all []int
	for _, message := range messages {
		fds, err := unix.ParseUnixRights(&message)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
		}
		all = append(all, fds...)
	}
	return all
}
