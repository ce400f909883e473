// Package fdlink is a Unix socket for messages, each JSON with descriptors. A template talks so with
// its boxes, and a box without namespaces with its supervisor.
package fdlink

import (
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"os"

	"golang.org/x/sys/unix"
)

// What is received at once.
const (
	maxMessage = 4 << 10 // bytes
	maxFiles   = 16
)

// ErrCut means that a message, or its descriptors, didn't fit and is lost.
var ErrCut = errors.New("link: a message that is too long, or no descriptors left for it")

// Link is a socket for messages, each JSON with descriptors. Send is safe for concurrent use,
// Receive for one goroutine.
type Link struct{ *net.UnixConn }

// New returns a link and the file of its other end.
func New() (*Link, *os.File, error) {
	fds, err := unix.Socketpair(unix.AF_UNIX, unix.SOCK_SEQPACKET|unix.SOCK_CLOEXEC, 0)
	if err != nil {
		return nil, nil, fmt.Errorf("socketpair: %w", err)
	}
	theirs := os.NewFile(uintptr(fds[1]), "link")
	ours, err := Open(os.NewFile(uintptr(fds[0]), "link"))
	if err != nil {
		theirs.Close()
		return nil, nil, err
	}
	return ours, theirs, nil
}

// Open takes over the file of one end.
func Open(file *os.File) (*Link, error) {
	defer file.Close()
	conn, err := net.FileConn(file)
	if err != nil {
		return nil, fmt.Errorf("link: %w", err)
	}
	unixConn, ok := conn.(*net.UnixConn)
	if !ok || unixConn.LocalAddr().Network() != "unixpacket" {
		return nil, errors.Join(errors.New("link: not a socket of whole messages"), conn.Close())
	}
	return &Link{unixConn}, nil
}

// Send sends a message. The files stay the caller's too.
func (l *Link) Send(v any, files ...*os.File) error {
	var fds []int
	for _, f := range files {
		fds = append(fds, int(f.Fd()))
	}
	return l.SendFDs(v, fds...)
}

// SendFDs is Send for bare descriptors.
func (l *Link) SendFDs(v any, fds ...int) error {
	data, err := json.Marshal(v)
	if err != nil {
		return err
	}
	_, _, err = l.WriteMsgUnix(data, unix.UnixRights(fds...), nil)
	return err
}

// Receive reads a message into v, and returns its descriptors.
func (l *Link) Receive(v any) ([]int, error) {
	data, rights := make([]byte, maxMessage), make([]byte, unix.CmsgSpace(4*maxFiles))
	n, rightsLen, flags, _, err := l.ReadMsgUnix(data, rights)
	if err != nil {
		return nil, err
	}
	fds := descriptors(rights[:rightsLen])
	if flags&(unix.MSG_TRUNC|unix.MSG_CTRUNC) != 0 {
		err = ErrCut
	} else {
		err = json.Unmarshal(data[:n], v)
	}
	if err != nil {
		CloseAll(fds)
		return nil, err
	}
	return fds, nil
}

func descriptors(rights []byte) (all []int) {
	messages, err := unix.ParseSocketControlMessage(rights)
	if err != nil {
		return nil
	}
	for _, m := range messages {
		fds, err := unix.ParseUnixRights(&m)
		if err != nil {
			continue
		}
		for _, fd := range fds {
			unix.CloseOnExec(fd)
			all = append(all, fd)
		}
	}
	return all
}

// CloseAll closes descriptors that nobody took over.
func CloseAll(fds []int) {
	for _, fd := range fds {
		unix.Close(fd)
	}
}
