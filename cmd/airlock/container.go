package main

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"os/signal"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/cmd/airlock/internal/cli"
	"github.com/computclaw/airlock/cmd/airlock/internal/config"
	"github.com/computclaw/airlock/cmd/airlock/internal/harden"
	"github.com/computclaw/airlock/plugins/landlock"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
)

const containerUsage = `Usage: airlock container [COMMAND [ARGUMENT…]]

Runs an airlock command (serve, if none is named) as the first process of a container. As root it
gives the data directory to uid 10001 and runs the command as that user, with SETUID, SETGID and
KILL for the landlock backend if the container has them. It passes signals on, reaps, and ends as
the command does.
`

// containerUID is the serving user and group in a container that starts as root.
const containerUID = 10001

// contain is airlock container. It returns the exit code.
func contain(c cli.Console, args []string) int {
	if len(args) == 0 {
		args = []string{"serve"}
	}
	if args[0] == "--help" || args[0] == "-h" {
		fmt.Fprint(c.Out, containerUsage)
		return cli.ExitOK
	}
	code, err := runContained(c, args)
	if err != nil {
		return c.Finish(err)
	}
	return code
}

// runContained starts the command, drops other privileges, and waits for its end.
func runContained(c cli.Console, args []string) (int, error) {
	signals := make(chan os.Signal, 16)
	signal.Notify(signals, unix.SIGTERM, unix.SIGINT, unix.SIGHUP, unix.SIGQUIT, unix.SIGUSR1, unix.SIGUSR2)
	if err := harden.Process(); err != nil { // the environment holds secrets here too
		return 0, err
	}
	lower, err := lowerRights()
	if err != nil {
		return 0, err
	}
	if lower != nil {
		if err := chown(cmp.Or(config.SplitEnv(c.Env)["AIRLOCK_DATA_DIR"], config.DefaultDataDir), containerUID); err != nil {
			fmt.Fprintf(c.Err, "airlock: the data directory can't be given to uid %d: %v\n", containerUID, err)
		}
	}
	if err := harden.NoNewPrivileges(); err != nil {
		return 0, err
	}
	self, err := os.Executable()
	if err != nil {
		return 0, err
	}
	pid, err := syscall.ForkExec(self, append([]string{"airlock"}, args...),
		&syscall.ProcAttr{Env: c.Env, Files: []uintptr{0, 1, 2}, Sys: lower})
	if err != nil {
		return 0, fmt.Errorf("start airlock %s: %w", args[0], err)
	}
	if lower != nil {
		if err := become(containerUID); err != nil {
			return 0, errors.Join(err, unix.Kill(pid, unix.SIGKILL))
		}
	}
	go passOn(signals, pid, cli.IsTerminal(c.In))
	return reapUntil(pid)
}

// lowerRights returns how to start the command. nil means as the present user.
func lowerRights() (*syscall.SysProcAttr, error) {
	if os.Geteuid() != 0 {
		return nil, nil
	}
	have, err := supervisor.OwnCapabilities()
	if err != nil {
		return nil, err
	}
	switch {
	case have.Has(unix.CAP_SETUID, unix.CAP_SETGID):
	case have.Powerless():
		return nil, nil // a user like any other, who happens to have the number 0
	default:
		return nil, cli.UsageError{Message: fmt.Sprintf(
			"the container starts as root, but without SETUID and SETGID, so Airlock can't become uid %d: let it have these "+
				"two (and KILL), drop all capabilities, or run it as another user (docker run --user %[1]d)", containerUID)}
	}
	lower := &syscall.SysProcAttr{Credential: &syscall.Credential{Uid: containerUID, Gid: containerUID,
		Groups: []uint32{}}}
	for _, number := range landlock.Capabilities() {
		if have.Has(int(number)) {
			lower.AmbientCaps = append(lower.AmbientCaps, number)
		}
	}
	return lower, nil
}

// chown gives a directory and its content to uid. It follows no links outside.
func chown(dir string, uid int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	root, err := os.OpenRoot(dir)
	if err != nil {
		return err
	}
	defer func() { _ = root.Close() }()
	return fs.WalkDir(root.FS(), ".", func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return fmt.Errorf("%s: %w", filepath.Join(dir, path), err)
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		if stat, ok := info.Sys().(*syscall.Stat_t); ok && int(stat.Uid) == uid {
			return nil
		}
		return root.Lchown(path, uid, uid)
	})
}

// become gives up root for good, with every capability.
func become(uid int) error {
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(uid), syscall.Setuid(uid)); err != nil {
		return fmt.Errorf("become user %d: %w", uid, err)
	}
	return nil
}

// passOn forwards signals to the command, except a terminal's keys, which everybody there gets.
func passOn(signals <-chan os.Signal, pid int, terminal bool) {
	for s := range signals {
		if terminal && (s == unix.SIGINT || s == unix.SIGQUIT) {
			continue
		}
		_ = unix.Kill(pid, s.(syscall.Signal))
	}
}

// reapUntil reaps every process until the command ends. It returns the command's code as a shell
// would.
func reapUntil(command int) (int, error) {
	for {
		var status unix.WaitStatus
		switch pid, err := unix.Wait4(-1, &status, 0, nil); {
		case errors.Is(err, unix.EINTR):
		case err != nil:
			return 0, fmt.Errorf("wait: %w", err)
		case pid != command:
		case status.Signaled():
			return 128 + int(status.Signal()), nil
		case status.Exited():
			return status.ExitStatus(), nil
		}
	}
}
