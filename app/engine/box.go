package engine

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
	exitGrace = 2 * time.Second  // between the session's end and the box's, before it is killed
	killGrace = 40 * time.Second // for a backend to clear a killed box away, before it counts as lost; its plugin gives up after 30
)

var errStuck = errors.New("engine: the backend did not clear a box away in time")

// box is one running sandbox with a guest that is ready for its one script.
type box struct {
	id      string
	session *guest.Session
	over    <-chan struct{} // closed when the session is
	line    *pipe.End       // the box's stdin and stdout; the box ends when it is closed
	taken   chan struct{}   // closed when the pool hands it out

	sandbox plugins.Sandbox
	life    context.Context // ends when the box is killed or gone
	kill    context.CancelFunc
	ended   chan struct{} // the backend's Run has returned; exit and err are set
	exit    plugins.Exit
	err     error
}

// openBox starts a box and returns when its interpreter waits. ctx bounds the opening only.
func openBox(ctx context.Context, sandbox plugins.Sandbox, spec plugins.Spec, boot guest.Boot) (*box, error) {
	life, kill := context.WithCancel(context.WithoutCancel(ctx))
	b := &box{id: app.NewID(), taken: make(chan struct{}), sandbox: sandbox, life: life, kill: kill, ended: make(chan struct{})}
	spec.ID = b.id
	ours, theirs := pipe.New() // buffered: else each message is handed over from goroutine to goroutine
	go func() {
		defer close(b.ended)
		defer kill()
		b.exit, b.err = sandbox.Run(life, spec, theirs, theirs)
		_ = theirs.Close()
	}()
	session, err := guest.Open(ctx, line{ours}, line{ours}, boot)
	if err != nil {
		kill()
		exit, lost := b.wait()
		return nil, fmt.Errorf("engine: open a box: %w", errors.Join(err, lost, diagnostic(exit)))
	}
	b.session, b.line, b.over = session, ours, session.Done()
	return b, nil
}

// line is a box's stdin and stdout as its session has them: when the session is over nothing more is read, and the box stays until box.end.
type line struct{ *pipe.End }

func (l line) Close() error { return l.CloseRead() }

// diagnostic is what an operator needs to see of a box that didn't get ready.
func diagnostic(exit plugins.Exit) error {
	if exit.Diagnostic == "" {
		return nil
	}
	return fmt.Errorf("the box ended with code %d, signal %d: %q", exit.Code, exit.Signal, exit.Diagnostic)
}

// healthy reports whether a script can still be sent.
func (b *box) healthy() bool {
	select {
	case <-b.over:
		return false
	default:
		return true
	}
}

// close ends the box at once and returns when nothing of it is left.
func (b *box) close() {
	b.kill()
	_, _ = b.end()
}

// measure returns what a box has used whose guest has said that nothing but itself is left in it. ok is false if only the box's end can tell: how it
// ended is not certain before, the backend doesn't measure, or ctx has ended.
func (b *box) measure(ctx context.Context) (used plugins.Usage, ok bool) {
	meter, ok := b.sandbox.(plugins.Meter)
	if !ok {
		return used, false
	}
	ctx, cancel := context.WithTimeout(ctx, exitGrace)
	defer cancel()
	defer context.AfterFunc(b.life, cancel)()
	used, err := meter.Usage(ctx, b.id)
	return used, err == nil && !used.LimitHit
}

// end lets a box whose session is over end by itself, kills it if it doesn't, and returns how it ended once nothing of it is left.
func (b *box) end() (plugins.Exit, error) {
	if b.session != nil {
		b.session.Close()
		_ = b.line.Close()
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

func (b *box) wait() (plugins.Exit, error) {
	patience := time.NewTimer(killGrace)
	defer patience.Stop()
	select {
	case <-b.ended:
		return b.exit, b.err
	case <-patience.C:
		return plugins.Exit{}, errStuck
	}
}
