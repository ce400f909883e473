package ssh

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"strings"
	"sync/atomic"
	"time"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/knownhosts"
)

const (
	dialTime = 10 * time.Second
	// idleTime is the longest silence after the login. It matters for uploads; later plugins.Link
	// watches more closely.
	idleTime = 30 * time.Second
)

// dial connects and logs in. Its errors tell a person what to do. The connection ends with ctx,
// until release is called.
func dial(ctx context.Context, t target) (client *ssh.Client, release func(), err error) {
	dialer := net.Dialer{Timeout: dialTime}
	raw, err := dialer.DialContext(ctx, "tcp", t.address)
	if err != nil {
		return nil, nil, fmt.Errorf("%s can't be reached: %w. Is AIRLOCK_SSH_HOST right (host or host:port), does "+
			"sshd run there, and does every firewall in between let Airlock in?", t.address, err)
	}
	conn := &patientConn{Conn: raw}
	conn.patience.Store(int64(dialTime))
	stop := context.AfterFunc(ctx, func() { conn.Close() })
	seen := &pinned{keys: t.hostKeys}
	session, channels, requests, err := ssh.NewClientConn(conn, t.address, &ssh.ClientConfig{
		User: t.user, Auth: []ssh.AuthMethod{ssh.PublicKeys(t.signer)},
		HostKeyCallback: seen.check, HostKeyAlgorithms: algorithms(t.hostKeys),
		ClientVersion: "SSH-2.0-Airlock",
	})
	if err != nil {
		stop()
		conn.Close()
		if ctx.Err() != nil {
			return nil, nil, ctx.Err()
		}
		return nil, nil, explainLogin(t, seen, err)
	}
	conn.patience.Store(int64(idleTime))
	return ssh.NewClient(session, channels, requests), func() { stop() }, nil
}

// patientConn is a connection whose reads fail when nothing comes for its patience, in nanoseconds.
type patientConn struct {
	net.Conn
	patience atomic.Int64
}

func (c *patientConn) Read(p []byte) (int, error) {
	if err := c.SetReadDeadline(time.Now().Add(time.Duration(c.patience.Load()))); err != nil {
		return 0, err
	}
	return c.Conn.Read(p)
}

var errHostKey = errors.New("the host key is not the pinned one")

// pinned accepts the given keys only, and remembers what was shown.
type pinned struct {
	keys  []ssh.PublicKey
	shown ssh.PublicKey
}

func (p *pinned) check(_ string, _ net.Addr, key ssh.PublicKey) error {
	p.shown = key
	for _, k := range p.keys {
		if bytes.Equal(k.Marshal(), key.Marshal()) {
			return nil
		}
	}
	return errHostKey
}

// line is a key as it's written into a setting.
func line(key ssh.PublicKey) string { return strings.TrimSpace(string(ssh.MarshalAuthorizedKey(key))) }

func explainLogin(t target, seen *pinned, err error) error {
	switch {
	case errors.Is(err, errHostKey) && len(t.hostKeys) == 0:
		return fmt.Errorf("the host key of %s isn't known, so nothing was sent. It showed %s %s. Compare that on the "+
			"machine itself (for key in /etc/ssh/ssh_host_*_key.pub; do ssh-keygen -lf $key; done); if it's the "+
			"same, set AIRLOCK_SSH_HOST_KEY='%s'", knownhosts.Normalize(t.address), seen.shown.Type(),
			ssh.FingerprintSHA256(seen.shown), line(seen.shown))
	case errors.Is(err, errHostKey):
		return fmt.Errorf("%s showed another host key than AIRLOCK_SSH_HOST_KEY: %s %s. Either the machine was set "+
			"up anew, or somebody is in between; nothing was sent. Find out which before you change the "+
			"setting", knownhosts.Normalize(t.address),
			seen.shown.Type(),
			ssh.FingerprintSHA256(seen.shown))
	case strings.Contains(err.Error(), "unable to authenticate"):
		return fmt.Errorf("%s doesn't accept the key for user %s. Add this line to that user's "+
			"~/.ssh/authorized_keys: "+
			"restrict %s airlock\n"+
			"If it is there, sshd's log says why it doesn't count: the file or a directory above it isn't the "+
			"account's own, "+
			"AllowUsers leaves the account out, or it is locked (usermod -p '*' %s)",
			t.address, t.user, line(t.signer.PublicKey()), t.user)
	case strings.Contains(err.Error(), "no common algorithm for host key"):
		return fmt.Errorf("%s has no host key of the type that AIRLOCK_SSH_HOST_KEY names: %w", t.address, err)
	default:
		return fmt.Errorf("log in to %s: %w", t, err)
	}
}
