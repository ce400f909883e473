package sandbox

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/egress/pipe"
	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
)

const (
	exitGrace = 2 * time.Second  // from the session's end to the box's, before it is killed
	killGrace = 40 * time.Second // for a backend to remove a killed box; its plugin gives up after 30 s
)

var errStuck = errors.New("sandbox: the backend did not remove a box in time")

// Box is one running sandbox whose guest is ready for one script.
type Box struct {
	Session *guest.Session

	id    string
	over  <-chan struct{} // closed when the session is over
	stdio *pipe.End       // the box's stdin and stdout; the box ends when it is closed
	taken chan struct{}   // closed when the pool hands the box out

	backend plugins.Sandbox
	life    context.Context // ends when the box is killed or gone
	kill    context.CancelFunc
	ended   chan struct{} // closed when the backend's Run has returned; exit and err are set then
	exit    plugins.Exit
	err     error
}

// openBox starts a box and returns when its interpreter waits. ctx bounds the opening only.
func openBox(ctx context.Context, backend plugins.Sandbox, spec plugins.Spec, boot guest.Boot) (*Box, error) {
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	b := &Box{
		id: app.NewID(), taken: make(chan struct{}), backend: backend,
		life: life, kill: kill, ended: make(chan struct{}),
	}
	spec.ID = b.id
	ours, theirs := pipe.New() // buffered: else each message is handed over from goroutine to goroutine
	go func() {
		defer close(b.ended)
		defer kill()
		b.exit, b.err = backend.Run(life, spec, theirs, theirs)
		_ = theirs.Close()
	}()
	session, err := guest.Open(ctx, sessionEnd{ours}, sessionEnd{ours}, boot)
	if err != nil {
		kill()
		exit, lost := b.wait()
		return nil, fmt.Errorf("sandbox: open a box: %w", errors.Join(err, lost, diagnosticError(exit)))
	}
	b.Session, b.stdio, b.over = session, ours, session.Done()
	return b, nil
}

// sessionEnd is a session's view of a box's stdio. Closing it ends reading only; the box stays
// until Box.End.
type sessionEnd struct{ *pipe.End }

func (s sessionEnd) Close() error { return s.CloseRead() }

// diagnosticError tells an operator why a box didn't get ready, or nil if unknown.
func diagnosticError(exit plugins.Exit) error {
	if exit.Diagnostic == "" {
		return nil
	}
	return fmt.Errorf("the box ended with code %d, signal %d: %q", exit.Code, exit.Signal, exit.Diagnostic)
}

// Healthy reports whether a script can still be sent.
func (b *Box) Healthy() bool {
	select {
	case <-b.over:
		return false
	default:
		return true
	}
}

// Close kills the box and returns when nothing of it is left.
func (b *Box) Close() {
	b.kill()
	_, _ = b.End()
}

// Measure returns the script's usage, after PID 1 has reported to be alone.
//
// ok is false if only the end can tell: a limit was hit, the backend doesn't measure, or ctx ended.
func (b *Box) Measure(ctx context.Context) (used plugins.Usage, ok bool) {
	meter, ok := b.backend.(plugins.Meter)
	if !ok {
		return used, false
	}
	ctx, cancel := context.WithTimeout(ctx, exitGrace)
	defer cancel()
	defer context.AfterFunc(b.life, cancel)()
	used, err := meter.Usage(ctx, b.id)
	return used, err == nil && !used.LimitHit
}

// End waits for a box whose session is over, and kills it after exitGrace. It returns once nothing
// of the box is left.
func (b *Box) End() (plugins.Exit, error) {
	if b.Session != nil {
		b.Session.Close()
		_ = b.stdio.Close()
	}
	grace := time.NewTimer(exitGrace)
	defer grace.Stop()
	select {
	case <-b.ended:
	case <-grace.C:
	}
	b.kill()
	return b.wait()
}

func (b *Box) wait() (plugins.Exit, error) {
	patience := time.NewTimer(killGrace)
	defer patience.Stop()
	select {
	case <-b.ended:
		return b.exit, b.err
	case <-patience.C:
		return plugins.Exit{}, errStuck
	}
}
