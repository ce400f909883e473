package landlock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"syscall"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/landlock/supervisor"
	"github.com/computclaw/airlock/plugins/stdio"
)

// killWithin is how long a supervisor may take to end a box before it is killed.
const killWithin = 10 * time.Second

// program is what runs as the guest: path, or the guest's own file if that is empty.
type program struct {
	path string
	argv []string
}

type box struct {
	stdio.Wiring
	host    *host
	cmd     *exec.Cmd
	config  supervisor.Config
	leash   *os.File // config goes down it; its end ends the box
	stdio   stdio.Pipes
	report  *os.File
	verdict chan *supervisor.Report
}

// run opens a box, relays its stdio, and returns when nothing of it is left.
func (h *host) run(ctx context.Context, spec plugins.Spec, p program, stdin io.Reader, stdout io.Writer) (plugins.Exit,
	error) {
	limits, err := boxLimits(spec.Limits)
	if err != nil {
		return plugins.Exit{}, err
	}
	if ctx.Err() != nil {
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}, nil
	}
	uid, err := h.uids.take(h.identity)
	if err != nil {
		return plugins.Exit{}, fmt.Errorf("open box: %w", err)
	}
	defer h.uids.release(uid)
	b := &box{host: h, verdict: make(chan *supervisor.Report, 1)}
	b.config = supervisor.Config{
		Guest: p.argv, Path: p.path, UID: uid, ABI: h.abi, Filter: h.filter, Tmp: h.newPath(spec.ID),
		Ruleset: h.ruleset,
		Limits:  limits,
	}
	b.config.Ruleset.Private = b.config.Tmp
	if err := b.start(); err != nil {
		return plugins.Exit{}, fmt.Errorf("open box: %w", err)
	}
	defer b.CloseOurs()
	return b.serve(ctx, stdin, stdout)
}

func (b *box) start() error {
	var stdin, stdout, stderr, leash, report *os.File
	b.stdio.Stdin, stdin = b.Down()
	b.stdio.Stdout, stdout = b.Up()
	b.stdio.Stderr, stderr = b.Up()
	b.leash, leash = b.Down()
	b.report, report = b.Up()
	b.Pass(leash)
	b.Pass(report)
	b.Pass(b.host.guest)
	program := b.Pass(b.host.supervisor)
	defer b.CloseTheirs()
	err := b.Err
	if err == nil {
		b.cmd = &exec.Cmd{
			Path: fmt.Sprintf("/proc/self/fd/%d", program),
			Args: []string{"airlock-init", "supervisor"},
			Env:  []string{}, // not nil, which would mean: inherit
			Dir:  "/",
			// Files, not readers: exec then starts no goroutine that Wait would have to wait for.
			Stdin: stdin, Stdout: stdout, Stderr: stderr,
			ExtraFiles: b.Inherited,
			// A terminal's Ctrl-C is for the host, which ends boxes in order.
			SysProcAttr: &syscall.SysProcAttr{Setpgid: true},
		}
		err = b.host.supervisors.start(b.cmd)
	}
	if err != nil {
		b.CloseOurs()
	}
	return err
}

// serve sends the config and relays the box's stdio until it ends.
func (b *box) serve(ctx context.Context, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	go func() { b.verdict <- readReport(b.report) }()
	wait := func() {
		_ = b.cmd.Wait()
		b.host.supervisors.remove(b.cmd.Process.Pid)
	}
	streams := b.stdio.Attach(wait, stdin, stdout)
	line, err := json.Marshal(b.config)
	if err == nil {
		_, err = b.leash.Write(append(line, '\n'))
	}
	if err != nil {
		b.kill()
	}
	outErr := b.watch(ctx, streams.Output, streams.Exited)
	report := <-b.verdict // nil of a supervisor that was killed, and left its box
	leftErr := b.leftovers(report)
	if outErr == nil {
		outErr = stdio.Flush(ctx, streams.Output)
	}
	exit, verdictErr := b.exit(report, streams.Diagnostic())
	return exit, errors.Join(verdictErr, leftErr, outErr)
}

func (b *box) kill() { b.leash.Close() }

// watch kills the box when ctx ends or its output can't be delivered. It returns after the
// supervisor's end, with the output's error if there is one by then.
func (b *box) watch(ctx context.Context, output chan error, exited <-chan struct{}) error {
	done := ctx.Done()
	var late <-chan time.Time
	for {
		select {
		case <-exited:
			return nil
		case <-done:
			b.kill()
			done, late = nil, time.After(killWithin)
		case err := <-output:
			output <- err // for flush
			output = nil
			if err != nil {
				b.kill()
				late = time.After(killWithin)
			}
		case <-late:
			_ = b.cmd.Process.Kill()
		}
	}
}

// leftovers removes what a dead supervisor left, and tells what a living one couldn't end.
func (b *box) leftovers(report *supervisor.Report) error {
	if report == nil {
		return errors.Join(b.host.supervisors.endOrphans(), supervisor.RemoveOwned(b.config.Tmp))
	}
	if report.Left != "" {
		return errors.New(report.Left)
	}
	return nil
}

func (b *box) exit(report *supervisor.Report, diagnostic string) (plugins.Exit, error) {
	switch {
	case report == nil:
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled, Diagnostic: diagnostic},
			fmt.Errorf("the box was lost: its supervisor ended (%v): %s", b.cmd.ProcessState, diagnostic)
	case report.Error != "":
		return plugins.Exit{Diagnostic: diagnostic}, fmt.Errorf("open box: %s", report.Error)
	}
	exit := plugins.Exit{
		Code: report.Code, Signal: report.Signal, PeakMemory: report.Peak, CPUTime: time.Duration(report.CPU),
		PidsHit: report.Refused > 0, Diagnostic: diagnostic,
	}
	switch report.Reason {
	case supervisor.ReasonExit:
		exit.Reason = plugins.ReasonExit
	case supervisor.ReasonMemory:
		exit.Reason = plugins.ReasonOOM
	case supervisor.ReasonTmp:
		exit.Reason = plugins.ReasonTmp
	default:
		exit.Reason = plugins.ReasonKilled
	}
	return exit, nil
}

func readReport(pipe io.Reader) *supervisor.Report {
	var r supervisor.Report
	if json.NewDecoder(io.LimitReader(pipe, 64<<10)).Decode(&r) != nil {
		return nil
	}
	return &r
}
