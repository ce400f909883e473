package ssh

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"golang.org/x/crypto/ssh"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/ssh/remote"
)

// link is a connection with a remote program at its other end.
type link struct {
	*plugins.Link
	client  *ssh.Client
	program *command
	hello   remote.Hello
}

// programs are the files that run on the other machine, by architecture.
type programs struct {
	remote, guest func(arch string) ([]byte, error)
}

// connect sets up everything up to the remote program's greeting. Its errors tell a person what to
// do.
func connect(ctx context.Context, t target, instance string, scoped bool, p programs) (_ *link, err error) {
	client, release, err := dial(ctx, t)
	if err != nil {
		return nil, err
	}
	l := &link{client: client}
	defer func() {
		release()
		if err != nil {
			_ = client.Close()
			if ctx.Err() != nil {
				err = ctx.Err()
			}
		}
	}()
	files, err := uploadPrograms(ctx, client, t.dir, p)
	if err != nil {
		return nil, fmt.Errorf("on %s: %w", t, err)
	}
	if err := l.launch(files, instance, scoped); err != nil {
		return nil, fmt.Errorf("on %s: %w", t, err)
	}
	l.Link, err = plugins.NewLink(plugins.Streams(l.program.stdout, l.program.stdin, client.Close))
	return l, err
}

// uploaded are paths there.
type uploaded struct{ program, guest string }

func uploadPrograms(ctx context.Context, client *ssh.Client, dir string, p programs) (b uploaded, err error) {
	arch, err := architecture(client)
	if err != nil {
		return b, err
	}
	program, err := p.remote(arch)
	if err != nil {
		return b, err
	}
	guest, err := p.guest(arch)
	if err != nil {
		return b, err
	}
	if b.program, err = put(ctx, client, dir, newUpload(remote.ProgramPrefix, program)); err != nil {
		return b, err
	}
	b.guest, err = put(ctx, client, dir, newUpload(remote.GuestPrefix, guest))
	return b, err
}

// launchScript takes "scope" or "plain" and a command line, and becomes that command. It uses a
// delegated scope if wanted and possible. It tries one first, because a failed exec would be the
// end.
const launchScript = `how="$1"; shift; s="systemd-run --user --scope --quiet --collect -p Delegate=yes --"; ` +
	`if [ "$how" = scope ] && command -v systemd-run > /dev/null 2>&1; then ` +
	`if [ -z "$XDG_RUNTIME_DIR" ] && [ -d "/run/user/$(id -u)" ]; ` +
	`then XDG_RUNTIME_DIR="/run/user/$(id -u)"; export XDG_RUNTIME_DIR; fi; ` +
	`if timeout 5 $s true < /dev/null > /dev/null 2>&1; then exec $s "$@"; fi; fi; exec "$@"`

// launch starts the remote program and reads its greeting.
func (l *link) launch(files uploaded, instance string, scoped bool) error {
	how := "plain"
	if scoped {
		how = "scope"
	}
	c, err := start(l.client, launchScript, how, files.program, "serve", "--instance", instance, "--guest",
		files.guest)
	if err != nil {
		return err
	}
	l.program = c
	text, err := c.answer(remote.Greeting)
	if err != nil {
		return explainLaunch(files, err)
	}
	if err := json.Unmarshal([]byte(text), &l.hello); err != nil {
		return errors.New("the remote program sent no greeting of ours")
	}
	return nil
}

func explainLaunch(files uploaded, err error) error {
	var failed *remoteError
	if !errors.As(err, &failed) {
		return fmt.Errorf("start the remote program: %w", err)
	}
	const notExecutable = 126 // as POSIX shells say it
	if failed.code == notExecutable || strings.Contains(failed.stderr, "ermission denied") {
		return fmt.Errorf("%s can't be executed: %w. If that file system is mounted noexec, set "+
			"AIRLOCK_PLUGIN_SSH_DIR to a directory on another one", files.program, err)
	}
	return fmt.Errorf("start the remote program: %w", err)
}

// lossError says that the link has ended, nil if it hasn't.
func (l *link) lossError() error {
	if !l.IsLost() {
		return nil
	}
	err := errors.New("the connection was closed, or nothing was heard from there")
	if last := l.program.stderr.String(); last != "" {
		return fmt.Errorf("%w; its last words: %s", err, last)
	}
	return err
}

func (l *link) close() {
	_ = l.Close()
	_ = l.client.Close()
}
