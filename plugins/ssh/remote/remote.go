package remote

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime"
	"time"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/bubblewrap"
)

// Greeting begins the line with the Hello. Both sides come from one build, so nothing is negotiated.
const Greeting = "airlock-remote "

// Hello is what the remote program tells of its machine.
type Hello struct {
	System string `json:"system"` // such as "Linux 6.1.0-18-amd64"
	Arch   string `json:"arch"`   // as Go names it
}

// closeTime bounds the removal of boxes after the link's end. Then the process ends, and they with
// it.
const closeTime = 3 * time.Second

// Run runs the whole program. It takes over stdin and stdout, and exits the process if the boxes
// don't end.
func Run(ctx context.Context, args []string) error {
	o, err := parse(args)
	if err != nil {
		return err
	}
	guest, err := os.ReadFile(o.guest)
	if err != nil {
		return err
	}
	if err := prepare(); err != nil {
		return err
	}
	if err := takeOver(o.instance); err != nil {
		return err
	}
	removeOthers(o.guest)
	if err := greet(os.Stdout); err != nil {
		return err
	}
	return serve(ctx, guest)
}

type options struct{ instance, guest string }

func parse(args []string) (options, error) {
	var o options
	f := flag.NewFlagSet("serve", flag.ContinueOnError)
	f.StringVar(&o.instance, "instance", "", "")
	f.StringVar(&o.guest, "guest", "", "")
	if err := f.Parse(args); err != nil {
		return o, err
	}
	if f.NArg() > 0 || !plugins.IsLabel(o.instance) || o.guest == "" {
		return o, errors.New("usage: airlock-remote serve --instance LABEL --guest FILE; only Airlock starts it")
	}
	return o, nil
}

// prepare keeps scripts out of core files and ends pipe operations when pipes are closed.
func prepare() error {
	unix.Umask(0o077)
	if err := unix.Setrlimit(unix.RLIMIT_CORE, &unix.Rlimit{}); err != nil {
		return fmt.Errorf("switch core dumps off: %w", err)
	}
	for _, fd := range []int{0, 1} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return fmt.Errorf("descriptor %d: %w", fd, err)
		}
	}
	return nil
}

func greet(w io.Writer) error {
	var name unix.Utsname
	if err := unix.Uname(&name); err != nil {
		return err
	}
	line, err := json.Marshal(Hello{text(name.Sysname[:]) + " " + text(name.Release[:]), runtime.GOARCH})
	if err != nil {
		return err
	}
	_, err = fmt.Fprintf(w, "%s%s\n", Greeting, line)
	return err
}

func text(field []byte) string {
	name, _, _ := bytes.Cut(field, []byte{0})
	return string(name)
}

// group is how an operator gives boxes of this machine a control group.
const group = "give the account a user manager of systemd there that hands memory, processes and processor time " +
	"down, which takes cgroup version 2: loginctl enable-linger, and Delegate=cpu cpuset io memory pids for " +
	"user@.service (docs/backends/ssh.md#limits)"

func serve(ctx context.Context, guest []byte) error {
	// Made anew because os.Stdin was opened before it was non-blocking.
	in, out := os.NewFile(0, "stdin"), os.NewFile(1, "stdout")
	conn := plugins.Streams(in, out, func() error {
		time.AfterFunc(closeTime, func() { os.Exit(1) })
		return errors.Join(in.Close(), out.Close())
	})
	return plugins.ServeConn(ctx, conn, bubblewrap.NewFor(guest, group))
}
