package landlock

import (
	"crypto/rand"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"
	"time"
)

// canaries are host objects that a box reaches only if a control is missing. They are otherwise
// open to everybody. Others on the host can't trigger them: the file has a secret name, and a
// connection needs the probe's password.
type canaries struct {
	dir      string
	file     string // in dir
	socket   string // in dir
	abstract string
	port     int
	password string
	sockets  []net.Listener
	touched  chan string
}

// newCanaries makes them in a new directory. Boxes of another uid may enter it, but nobody else may
// list it.
func newCanaries(dir string) (c *canaries, err error) {
	c = &canaries{
		dir: dir, file: filepath.Join(dir, rand.Text()), socket: rand.Text(), abstract: "airlock-canary-" + rand.Text(),
		password: rand.Text(),
		touched:  make(chan string, 16),
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
		go c.watch(at[0]+" "+at[1], l)
	}
	c.port = c.sockets[0].Addr().(*net.TCPAddr).Port
	return c, errors.Join(os.Chmod(filepath.Join(dir, c.socket), 0o777), os.Chmod(dir, 0o711))
}

func (c *canaries) watch(name string, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		go func() {
			defer conn.Close()
			if c.hear(conn) {
				select {
				case c.touched <- name:
				default:
				}
			}
		}()
	}
}

// hear reports whether the peer is the probe: it knows the password.
func (c *canaries) hear(conn net.Conn) bool {
	said := make([]byte, len(c.password))
	_ = conn.SetReadDeadline(time.Now().Add(time.Second))
	_, err := io.ReadFull(conn, said)
	return err == nil && string(said) == c.password
}

// reached names a canary that was, or "".
func (c *canaries) reached() string {
	select {
	case name := <-c.touched:
		return name
	default:
	}
	if b, err := os.ReadFile(c.file); err != nil || string(b) != "canary" {
		return "file " + c.file
	}
	if info, err := os.Stat(c.file); err != nil || info.Mode().Perm() != 0o666 {
		return "mode of " + c.file
	}
	return ""
}

func (c *canaries) close() {
	for _, l := range c.sockets {
		l.Close()
	}
	_ = os.RemoveAll(c.dir)
}
