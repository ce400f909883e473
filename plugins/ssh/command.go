package ssh

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"golang.org/x/crypto/ssh"

	"github.com/computclaw/airlock/plugins/stdio"
)

// command is a running command on the other machine. The remote user's shell gets "exec /bin/sh -c
// SCRIPT airlock ARGS" with every word in single quotes. Scripts are one line without single
// quotes, exclamation marks and backslashes, which shells treat differently.
type command struct {
	session *ssh.Session
	stdin   io.WriteCloser
	stdout  *bufio.Reader
	stderr  *stdio.Tail
	drained chan struct{}
}

func start(client *ssh.Client, script string, args ...string) (*command, error) {
	session, err := newSession(client)
	if err != nil {
		return nil, fmt.Errorf("open a session: %w", err)
	}
	c := &command{session: session, stderr: &stdio.Tail{}, drained: make(chan struct{})}
	var stdout, stderr io.Reader
	if c.stdin, err = session.StdinPipe(); err == nil {
		stdout, err = session.StdoutPipe()
	}
	if err == nil {
		stderr, err = session.StderrPipe()
	}
	if err == nil {
		err = session.Start("exec /bin/sh -c " + quoteWords(append([]string{script, "airlock"}, args...)))
	}
	if err != nil {
		_ = session.Close()
		return nil, fmt.Errorf("start a command: %w", err)
	}
	c.stdout = bufio.NewReader(stdout)
	go func() {
		defer close(c.drained)
		_, _ = io.Copy(c.stderr, stderr)
	}()
	return c, nil
}

// newSession retries for a while when the server refuses. With MaxSessions 1 the previous session
// may still exist.
func newSession(client *ssh.Client) (*ssh.Session, error) {
	const limit, pause = 3 * time.Second, 50 * time.Millisecond
	for deadline := time.Now().Add(limit); ; time.Sleep(pause) {
		session, err := client.NewSession()
		var refused *ssh.OpenChannelError
		if !errors.As(err, &refused) || time.Now().After(deadline) {
			return session, err
		}
	}
}

func quoteWords(words []string) string {
	out := make([]string, len(words))
	for i, w := range words {
		out[i] = "'" + w + "'"
	}
	return strings.Join(out, " ")
}

// maxNoise is how much a login script may print before the answer, in bytes.
const maxNoise = 64 << 10

// answer returns the rest of the first line with prefix. It skips the output of login scripts.
func (c *command) answer(prefix string) (string, error) {
	var line []byte
	for range maxNoise {
		b, err := c.stdout.ReadByte()
		if err != nil {
			return "", c.exitError(err)
		}
		if b != '\n' {
			line = append(line, b)
			continue
		}
		if text, ok := bytes.CutPrefix(line, []byte(prefix)); ok {
			return string(text), nil
		}
		line = line[:0]
	}
	return "", errors.New("the remote account's login scripts print too much; they should print nothing when there " +
		"is no terminal")
}

// remoteError is a command that failed over there.
type remoteError struct {
	code   int // exit code; -1 if it's not known
	stderr string
}

func (e *remoteError) Error() string {
	if e.stderr != "" {
		return e.stderr
	}
	return fmt.Sprintf("the remote command ended with code %d", e.code)
}

// exitError says how the command ended, given that its output did.
func (c *command) exitError(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if err := c.wait(); err != nil {
		return err
	}
	return &remoteError{stderr: c.stderr.String()}
}

// wait returns nil or a *remoteError at the command's end, or the connection's error.
func (c *command) wait() error {
	err := c.session.Wait()
	<-c.drained
	var exit *ssh.ExitError
	var missing *ssh.ExitMissingError
	switch {
	case err == nil:
		return nil
	case errors.As(err, &exit):
		return &remoteError{code: exit.ExitStatus(), stderr: c.stderr.String()}
	case errors.As(err, &missing):
		return &remoteError{code: -1, stderr: c.stderr.String()}
	default:
		return err
	}
}

func (c *command) close() { _ = c.session.Close() }
