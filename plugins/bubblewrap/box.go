package bubblewrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/stdio"
)

// maxRefusedForks is how many refused forks end a box. A fork bomb gets there within a second, other
// programs never.
const maxRefusedForks = 1000

// box is one running sandbox.
type box struct {
	*process
	group  group
	meter  *meter
	killed plugins.Reason // why it was killed; empty if it wasn't
}

// run opens a box for command, relays its stdio, answers m meanwhile, and returns when nothing of
// it is left.
func (h *host) run(ctx context.Context, spec plugins.Spec, l layout, command []string, m *meter, stdin io.Reader,
	stdout io.Writer) (plugins.Exit, error) {
	limits, err := spec.Limits.Bounded(least())
	if err != nil {
		return plugins.Exit{}, err
	}
	if err := ctx.Err(); err != nil {
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}, nil
	}
	g, err := h.limiter.create(spec.ID, limits)
	if err != nil {
		return plugins.Exit{}, fmt.Errorf("open box: %w", err)
	}
	p, err := h.stage(l, limits, command)
	if err != nil {
		return plugins.Exit{}, errors.Join(fmt.Errorf("open box: %w", err), drain(g))
	}
	defer p.CloseOurs()
	b := &box{process: p, group: g, meter: m}
	return b.serve(ctx, h.limiter.pollInterval(), stdin, stdout)
}

// serve relays the box's stdio and enforces its limits until it ends.
func (b *box) serve(ctx context.Context, interval pollInterval, stdin io.Reader, stdout io.Writer) (plugins.Exit,
	error) {
	code := make(chan *int, 1)
	go func() { code <- readStatus(b.status) }()
	streams := b.stdio.Attach(b.cmd, stdin, stdout, func() {})

	openErr := cmp.Or(b.group.add(b.cmd.Process.Pid), b.open())
	if openErr != nil {
		b.kill(plugins.ReasonKilled)
	}
	if err := b.watch(ctx, interval, streams.Output, streams.Exited); err != nil {
		return plugins.Exit{Code: -1, Signal: 9, Reason: b.killed}, err
	}

	final, usageErr := b.group.usage()
	leftErr := cmp.Or(drain(b.group), usageErr)
	outErr := stdio.Flush(ctx, streams.Output)
	exit, err := b.verdict(<-code, final, streams.Diagnostic())
	if openErr != nil { // the chain ended before the gate; it has said why
		openErr = fmt.Errorf("open box: %w: %s", openErr, exit.Diagnostic)
	}
	return exit, cmp.Or(openErr, leftErr, outErr, err)
}

// watch kills the box when ctx ends, its output can't be delivered or a limit is exceeded.
//
// It returns when the chain has ended, which is after every other process of the box, or with an
// error if the chain is still there drainTime after the kill.
func (b *box) watch(ctx context.Context, interval pollInterval, output chan error, exited <-chan struct{}) error {
	timer := time.NewTimer(interval.least)
	defer timer.Stop()
	done := ctx.Done()
	var killed time.Time
	for {
		select {
		case <-exited:
			return nil
		case <-done:
			b.kill(plugins.ReasonKilled)
			timer.Reset(interval.least)
			done = nil
		case err := <-output:
			output <- err // for flush
			output = nil
			if err != nil {
				b.kill(plugins.ReasonKilled)
				timer.Reset(interval.least)
			}
		case answer := <-b.meter.asked:
			u, err := b.measured()
			answer <- reading{u, err}
		case <-timer.C:
			timer.Reset(b.look(&interval))
		}
		switch {
		case b.killed == "":
		case killed.IsZero():
			killed = time.Now()
		case time.Since(killed) > drainTime:
			return errors.New("processes of the box survive being killed")
		}
	}
}

// look kills the box if it exceeded a limit or should be dead already, and returns when to look
// again.
func (b *box) look(interval *pollInterval) time.Duration {
	if b.killed != "" {
		b.kill(b.killed) // again: a fork may have slipped past
		return interval.least
	}
	u, err := b.group.usage()
	switch {
	case err != nil:
		return interval.least
	case u.oom:
		b.kill(plugins.ReasonOOM)
	case u.refused >= maxRefusedForks:
		b.kill(plugins.ReasonPids)
	}
	if b.killed != "" {
		return interval.least
	}
	return interval.next(u)
}

func (b *box) kill(why plugins.Reason) {
	if b.killed == "" {
		b.killed = why
	}
	_ = b.cmd.Process.Kill() // all of the box: it is PID 1 of the outer namespace
	_ = b.group.kill()
}

// verdict says how the box ended. code is nil if bwrap didn't say.
func (b *box) verdict(code *int, u usage, diagnostic string) (plugins.Exit, error) {
	state := b.cmd.ProcessState
	exit := plugins.Exit{
		Code: -1, Signal: 9, Reason: b.killed,
		PeakMemory: u.peak, CPUTime: u.cpu, PidsHit: u.refused > 0, Diagnostic: diagnostic,
	}
	if u.cpu == 0 && state != nil {
		exit.CPUTime = state.UserTime() + state.SystemTime()
	}
	const killedBySignal9 = 128 + 9
	switch {
	case b.killed != "":
		return exit, nil
	case code == nil:
		return exit, fmt.Errorf("the box did not start or was lost (%v): %s", state, diagnostic)
	case u.oom:
		exit.Reason = plugins.ReasonOOM
		if *code != killedBySignal9 {
			exit.Code, exit.Signal = *code, 0
		}
	default:
		exit.Code, exit.Signal, exit.Reason = *code, 0, plugins.ReasonExit
	}
	return exit, nil
}
