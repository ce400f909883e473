package template

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"strings"
	"testing"

	"github.com/computclaw/airlock/app/egress/pipe"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/cmd/airlock/internal/e2e"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/bubblewrap"
	"github.com/computclaw/airlock/plugins/sandboxtest"
	"github.com/computclaw/airlock/plugins/wire"
)

func TestMain(m *testing.M) {
	sandboxtest.Main(m, bubblewrap.Name, func([]byte) plugins.Sandbox { return bubblewrap.New() })
}

// TestConformanceOfForkedBoxes: with the test guest, which bubblewrap's own test has, boxes of a
// template get the PID 1 of all others.
func TestConformanceOfForkedBoxes(t *testing.T) {
	if !e2e.InNamespaces(t) {
		return
	}
	open := sandboxtest.Plugin(bubblewrap.Name, map[string]string{"box": "template"})
	sandboxtest.Run(t, func(t *testing.T) (plugins.Sandbox, plugins.Config) {
		client, cfg := open(t)
		return scripts{client.(*plugins.Client)}, cfg
	}, sandboxtest.Options{
		Name: bubblewrap.Name, Templates: true, Measures: true, Leftovers: groupsOfBoxes,
		Enforced: sandboxtest.FindGroups(t).Enforced(),
		// scripts have no stdin, and their guest ends with them; one such host is killed in bubblewrap's test
		Skip: []string{"stdin to stdout", "end of stdin ends the guest", "usage of an open box", "usage tells of limits",
			"host killed"},
	})
}

// groupsOfBoxes lists the control groups of an instance but those of templates.
func groupsOfBoxes(instance string) (found []string) {
	_ = filepath.WalkDir("/sys/fs/cgroup", func(path string, d fs.DirEntry, err error) error {
		if err == nil && strings.HasPrefix(d.Name(), "airlock."+instance+".") && !strings.Contains(path, ".template-") {
			found = append(found, path)
		}
		return nil
	})
	return found
}

// scripts runs as a script what the test guest would be ordered to do.
type scripts struct{ *plugins.Client }

// Run implements plugins.Sandbox. A script's exit code is the box's.
func (s scripts) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	script, err := readOrder(stdin)
	if err != nil {
		return plugins.Exit{}, err
	}
	life, end := context.WithCancelCause(ctx)
	defer end(nil)
	ours, theirs := pipe.New()
	type ending struct {
		plugins.Exit
		err error
	}
	ended := make(chan ending, 1)
	go func() {
		exit, err := s.Client.Run(life, spec, theirs, theirs)
		_ = theirs.Close()
		ended <- ending{exit, err}
	}()
	job, outcome := guest.Job{Script: script, MaxOutput: 1 << 30, MaxResult: 1}, guest.Outcome{}
	session, err := guest.Open(life, sessionEnd{ours}, sessionEnd{ours}, guest.Boot{})
	if err == nil {
		outcome, err = session.Run(life, job, handler(life, stdout, end))
		session.Close()
	}
	_ = ours.Close()
	last := <-ended
	if cause := context.Cause(life); cause != nil && ctx.Err() == nil {
		return last.Exit, cause // stdout took no more
	}
	if last.err == nil && last.Reason == plugins.ReasonExit {
		last.Code, last.err = code(outcome.Exited), err
	}
	return last.Exit, last.err
}

// sessionEnd is a box's stdio as its session has it: see sandbox.Box.
type sessionEnd struct{ *pipe.End }

func (s sessionEnd) Close() error { return s.CloseRead() }

func code(e wire.Exited) int {
	if e.Signal != 0 {
		return 128 + e.Signal
	}
	return e.Code
}

// readOrder returns the script that does what the first line of a guest's stdin says.
func readOrder(stdin io.Reader) (string, error) {
	line, err := bufio.NewReader(stdin).ReadBytes('\n')
	if err != nil {
		return "", err
	}
	var o sandboxtest.Order
	if err := json.Unmarshal(line, &o); err != nil {
		return "", err
	}
	if o.Exit != nil {
		return fmt.Sprintf("import os\nos._exit(%d)", *o.Exit), nil
	}
	if len(o.Argv) == 0 {
		return "", errors.New("this needs the test guest")
	}
	argv, err := json.Marshal(o.Argv) // which is Python, too
	return fmt.Sprintf(`
import os, shutil
shutil.rmtree(".airlock")
os.remove("script.py")
os.dup2(1, 2)
os.closerange(3, 64)
argv = %s
os.execve(argv[0], argv, {"PATH": "/usr/bin:/bin", "PYTHONHASHSEED": "0"})`, argv), err
}

// handler passes output on until ctx ends, and ends it when stdout takes no more.
func handler(ctx context.Context, stdout io.Writer, end context.CancelCauseFunc) guest.Handler {
	write := func(p []byte) {
		p, written := bytes.Clone(p), make(chan struct{})
		go func() {
			defer close(written)
			if _, err := stdout.Write(p); err != nil {
				end(err)
			}
		}()
		select {
		case <-written:
		case <-ctx.Done():
		}
	}
	return guest.Handler{
		Stdout: write, Stderr: write, Unanswered: func(string, string) {}, Limited: func(string, int, wire.Limit) {},
		Asked: func(string, int, int) {},
		LLM: func(context.Context, wire.LLMRequest) (wire.LLMReply, error) {
			return wire.LLMReply{}, errors.New("nobody is there to answer")
		},
		Dial: func(context.Context, string, int) (guest.Conn, error) { return nil, errors.New("no host is allowed") },
	}
}
