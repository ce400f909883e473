package bubblewrap

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/stdio"
)

// maxRefusedForks is how many refused forks end a box. Only a fork bomb gets there.
const maxRefusedForks = 1000

type box struct {
	*process
	group  group
	meter  *meter
	killed plugins.Reason // why it was killed; empty if it wasn't
}

// Run implements plugins.Sandbox.
func (b *Backend) Run(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	m := newMeter()
	if err := b.boxes.Enter(spec.ID, m); err != nil {
		return plugins.Exit{}, fmt.Errorf("bubblewrap: %w", err)
	}
	defer close(m.over)
	defer b.boxes.Leave(spec.ID)
	h, err := b.ready.Host(Name)
	if err != nil {
		return plugins.Exit{}, err
	}
	if spec.Runtime != "" {
		return plugins.Exit{}, fmt.Errorf("runtime %q: boxes have the one in the setting root", spec.Runtime)
	}
	return h.run(ctx, spec, plugins.GuestArgv, m, stdin, stdout)
}

// run opens a box, relays its stdio, answers m, and returns when nothing is left.
func (h *host) run(ctx context.Context, spec plugins.Spec, command []string, m *meter, stdin io.Reader,
	stdout io.Writer) (plugins.Exit, error) {
	limits, err := spec.Limits.Bound(least())
	if err != nil {
		return plugins.Exit{}, err
	}
	is := purpose{command: command, limits: limits, counted: h.countsMemory()}
	killed := plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonKilled}
	if ctx.Err() != nil {
		return killed, nil
	}
	b, release, err := h.fork(ctx, spec, is)
	if err == nil {
		defer release()
	} else if ctx.Err() == nil {
		b, err = h.prepare(spec.ID, is)
	}
	switch {
	case err != nil && ctx.Err() != nil:
		return killed, nil
	case err != nil:
		return plugins.Exit{}, fmt.Errorf("open box: %w", err)
	}
	defer b.CloseOurs()
	b.meter = m
	return b.serve(ctx, h.limiter.pollInterval(), stdin, stdout)
}

// prepare makes a box from nothing, up to the gate.
func (h *host) prepare(id string, is purpose) (*box, error) {
	g, err := h.limiter.create(id, is.limits)
	if err != nil {
		return nil, err
	}
	p, err := h.stage(is)
	if err != nil {
		return nil, errors.Join(err, drain(g))
	}
	return &box{process: p, group: g}, nil
}

// serve relays the box's stdio and enforces its limits until it ends.
func (b *box) serve(ctx context.Context, interval pollInterval, stdin io.Reader, stdout io.Writer) (plugins.Exit,
	error) {
	code := make(chan *int, 1)
	go func() { code <- b.status.exitCode() }()
	streams := b.stdio.Attach(b.wait, stdin, stdout)

	openErr := b.begin(b.group)
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

// watch kills the box when ctx ends, delivery of output fails or a limit is exceeded.
//
// It returns when the chain has ended, which outlives every other process of the box. It fails if
// the chain survives a kill by drainTime.
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
			u, err := b.measure()
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

// look kills the box if it exceeded a limit or should be dead. It returns when to look again.
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
	b.process.kill()
	_ = b.group.kill()
}

// verdict says how the box ended. code is nil if bwrap didn't report one.
func (b *box) verdict(code *int, u usage, diagnostic string) (plugins.Exit, error) {
	var state *os.ProcessState
	if b.cmd != nil {
		state = b.cmd.ProcessState
	}
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
	case u.oom: // which may have killed bwrap too
		exit.Reason = plugins.ReasonOOM
		if code != nil && *code != killedBySignal9 {
			exit.Code, exit.Signal = *code, 0
		}
	case code == nil:
		return exit, fmt.Errorf("the box did not start or was lost (%v): %s", state, diagnostic)
	default:
		exit.Code, exit.Signal, exit.Reason = *code, 0, plugins.ReasonExit
	}
	return exit, nil
}

// meter passes usage questions to the goroutine that watches the box. Only that one may read its
// group.
type meter struct {
	asked chan chan<- reading
	over  chan struct{} // closed once nothing of the box is left
}

type reading struct {
	usage usage
	err   error
}

func newMeter() *meter { return &meter{asked: make(chan chan<- reading), over: make(chan struct{})} }

var (
	errNotOpen    = errors.New("bubblewrap: no such box is open")
	errKilled     = errors.New("bubblewrap: the box was killed; its exit says why")
	errUnmeasured = errors.New("bubblewrap: usage is known at the end only, because a control group lacks counters")
)

func (m *meter) ask(ctx context.Context) (usage, error) {
	answer := make(chan reading, 1)
	select {
	case m.asked <- answer:
	case <-m.over:
		return usage{}, errNotOpen
	case <-ctx.Done():
		return usage{}, ctx.Err()
	}
	seen := <-answer
	return seen.usage, seen.err
}

func (b *box) measure() (usage, error) {
	if b.killed != "" {
		return usage{}, errKilled
	}
	return b.group.usage()
}

var _ plugins.Meter = (*Backend)(nil)

// Usage implements plugins.Meter.
func (b *Backend) Usage(ctx context.Context, id string) (plugins.Usage, error) {
	m, open := b.boxes.Get(id)
	if !open {
		return plugins.Usage{}, errNotOpen
	}
	u, err := m.ask(ctx)
	switch {
	case err != nil:
		return plugins.Usage{}, err
	case !u.complete:
		return plugins.Usage{}, errUnmeasured
	}
	return plugins.Usage{PeakMemory: u.peak, CPUTime: u.cpu, LimitHit: u.oom || u.refused > 0}, nil
}
