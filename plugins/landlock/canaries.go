package landlock

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"os"
	"path/filepath"
)

// canaries are host objects that a box reaches only if a control is missing. They are otherwise
// open to everybody.
type canaries struct {
	dir      string
	file     string // in dir
	socket   string // in dir
	abstract string
	port     int
	sockets  []net.Listener
}

// newCanaries makes them in a new directory. Boxes of another uid may enter it, but nobody else may
// list it.
func newCanaries(dir string) (c *canaries, err error) {
	c = &canaries{
		dir: dir, file: filepath.Join(dir, rand.Text()), socket: rand.Text(), abstract: "airlock-canary-" + rand.Text(),
	}
	if err := os.Mkdir(dir, 0o700); err != nil {
		return c, err
	}
	defer func() {
		if err != nil {
			c.close()
		}
	}()
	if err := os.WriteFile(c.file, []byte("canary"), 0o666); err != nil {
		return c, err
	}
	if err := os.Chmod(c.file, 0o666); err != nil { // whatever the umask
		return c, err
	}
	// A path without the directory's own: that can be too long for a socket, and /proc/net/unix
	// shows it to everybody.
	top, err := os.Open(dir)
	if err != nil {
		return c, err
	}
	defer top.Close()
	short := fmt.Sprintf("/proc/self/fd/%d/%s", top.Fd(), c.socket)
	for _, at := range [][2]string{{"tcp4", "127.0.0.1:0"}, {"unix", short}, {"unix", "@" + c.abstract}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			return c, err
		}
		if unix, ok := l.(*net.UnixListener); ok {
			unix.SetUnlinkOnClose(false) // the number may be another file's by then
		}
		c.sockets = append(c.sockets, l)
		go turnAway(l)
	}
	c.port = c.sockets[0].Addr().(*net.TCPAddr).Port
	return c, errors.Join(os.Chmod(filepath.Join(dir, c.socket), 0o777), os.Chmod(dir, 0o711))
}

// turnAway closes each connection at once.
func turnAway(l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		conn.Close()
	}
}

func (c *canaries) close() {
	for _, l := range c.sockets {
		l.Close()
	}
	_ = os.RemoveAll(c.dir)
}
