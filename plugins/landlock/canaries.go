package landlock

import (
	"errors"
	"net"
	"os"
)

// canaries are things of the host that a box would reach if a wall were missing, open to everybody but for the walls.
type canaries struct {
	file     string
	path     string // of a Unix socket
	abstract string
	port     int
	sockets  []net.Listener
	touched  chan string
}

// newCanaries puts them up beside the boxes' directories.
func newCanaries(prefix string) (c *canaries, err error) {
	c = &canaries{file: prefix + "_canary", path: prefix + "_canary.sock", abstract: "airlock-canary-" + prefix, touched: make(chan string, 16)}
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
	for _, at := range [][2]string{{"tcp4", "127.0.0.1:0"}, {"unix", c.path}, {"unix", "@" + c.abstract}} {
		l, err := net.Listen(at[0], at[1])
		if err != nil {
			return c, err
		}
		c.sockets = append(c.sockets, l)
		go c.watch(at[0]+" "+at[1], l)
	}
	c.port = c.sockets[0].Addr().(*net.TCPAddr).Port
	return c, os.Chmod(c.path, 0o777)
}

func (c *canaries) watch(name string, l net.Listener) {
	for {
		conn, err := l.Accept()
		if err != nil {
			return
		}
		conn.Close()
		select {
		case c.touched <- name:
		default:
		}
	}
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
	_ = errors.Join(os.Remove(c.file), os.Remove(c.path)) // Go removes the socket itself
}
