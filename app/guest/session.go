package guest

import (
	"context"
	"errors"
	"io"
	"regexp"
	"slices"
	"sync"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/plugins/wire"
)

// maxStreams is how many streams may exist at once. They are control, two outputs, a report, files,
// artifacts, the connections, and as many connections that are just ending.
const maxStreams = 6 + 2*wire.MaxConnects

// Session is one box, from its first byte to its last. Its methods may be called concurrently.
type Session struct {
	given   Boot
	mux     *yamux.Session
	guard   *guard
	control *yamux.Stream
	ready   wire.Ready

	outbox   chan []byte // control frames
	freezing sync.Mutex
	frozen   chan wire.Frozen

	mu    sync.Mutex
	state state
	run   *run // from Run on
	err   error

	booted  chan struct{} // Ready has arrived
	drained chan struct{} // the control stream has been read to its end
	done    chan struct{} // the session is over
	work    sync.WaitGroup
}

type state int

const (
	booting state = iota
	waiting
	compiled // for other boxes: it takes no script
	running
	over
)

// Boot is what a box begins with besides the runner.
type Boot struct {
	CA   []byte // certificates in PEM that it shall trust besides its runtime's own; may be empty
	Code []byte // what a box of the same runtime compiled; may be empty

	// Compile opens a box for its Ready().Code. Such a box takes no script.
	Compile bool
}

// Open starts the guest behind the pipe and waits until its interpreter is ready, or for ctx to
// end. It owns both ends of the pipe, and closes them when it fails. Both must be safe to close
// during use, as files, pipes and connections are.
func Open(ctx context.Context, stdin io.WriteCloser, stdout io.ReadCloser, boot Boot) (*Session, error) {
	guard := &guard{from: stdout}
	mux, err := yamux.Client(pipe{guard, wire.JoinFrames(stdin), stdin}, wire.Mux(wire.EngineWindow))
	if err != nil {
		return nil, err
	}
	s := &Session{
		given: boot, mux: mux, guard: guard, outbox: make(chan []byte, 16), frozen: make(chan wire.Frozen, 1),
		booted: make(chan struct{}), drained: make(chan struct{}), done: make(chan struct{}),
	}
	s.work.Go(s.boot)
	select {
	case <-s.booted:
		return s, nil
	case <-s.done:
		err = s.failure()
	case <-ctx.Done():
		err = context.Cause(ctx)
	}
	s.Close()
	return nil, err
}

// Ready returns the guest's description of its runtime. Its shape was checked: a version and two
// digests.
func (s *Session) Ready() wire.Ready { return s.ready }

// Done is closed when the session is over. The box died, broke the protocol or finished its script,
// or Close was called.
func (s *Session) Done() <-chan struct{} { return s.done }

// Close closes the pipe, which ends the box, and waits for the session's goroutines.
func (s *Session) Close() {
	s.fail(ErrLost)
	s.work.Wait()
}

// Freeze stops every process of the box except airlock-init, or lets them continue. It waits for
// the new state. After ctx's error and ErrNotFrozen the state is unknown; other errors end the
// session.
func (s *Session) Freeze(ctx context.Context, on bool) error {
	s.freezing.Lock()
	defer s.freezing.Unlock()
	select {
	case <-s.frozen: // the late answer to a call that was given up
	default:
	}
	if err := s.post(ctx, wire.Message{Freeze: &wire.Freeze{On: on}}); err != nil {
		return err
	}
	select {
	case answer := <-s.frozen:
		if answer.On != on {
			return ErrNotFrozen
		}
		return nil
	case <-s.done:
		return s.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// boot opens the control stream, starts the guest, and starts reading.
func (s *Session) boot() {
	control, err := s.mux.OpenStream()
	if err != nil {
		s.fail(ErrLost)
		return
	}
	s.control = control
	s.work.Go(s.accept)
	s.work.Go(s.read)
	s.work.Go(s.write)
	for _, first := range []any{wire.Header{Kind: wire.Control},
		wire.Message{Boot: &wire.Boot{Runner: Runner(), Code: s.given.Code, CA: s.given.CA,
			Compile: s.given.Compile}}} {
		_ = s.post(context.Background(), first) // ends with the session
	}
}

// post queues a control frame. It fails if the frame is too large, the session is over, or ctx
// ends.
func (s *Session) post(ctx context.Context, v any) error {
	frame, err := wire.Encode(v)
	if err != nil {
		return err
	}
	select {
	case s.outbox <- frame:
		return nil
	case <-s.done:
		return s.failure()
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}

// piece is how many bytes of a control frame are written at once. Lower layers keep buffers of the
// largest piece for the whole session, and a Boot is the largest frame.
const piece = 8 << 10

// write sends queued frames. It goes on after a failure, which the readers report, so no caller
// blocks.
func (s *Session) write() {
	for {
		select {
		case frame := <-s.outbox:
			for part := range slices.Chunk(frame, piece) {
				_, _ = s.control.Write(part)
			}
		case <-s.done:
			return
		}
	}
}

// read takes the control messages, one after the other.
func (s *Session) read() {
	defer close(s.drained)
	for {
		message, err := wire.ReadMessage(s.control)
		if err == nil {
			err = s.dispatch(message)
		}
		switch {
		case err == nil:
			continue
		case errors.Is(err, wire.ErrFrame):
			err = violation("a control message that can't be read")
		case s.mux.IsClosed():
			return // accept knows why
		case !errors.As(err, new(*ProtocolError)) && !errors.Is(err, ErrLost):
			err = violation("the control stream ended")
		}
		s.fail(err)
		return
	}
}

// accept takes the streams that the box opens, until the pipe ends.
func (s *Session) accept() {
	for {
		stream, err := s.mux.AcceptStream()
		if err != nil {
			<-s.drained // what came before the end counts
			s.fail(s.cause(err))
			return
		}
		if s.mux.NumStreams() > maxStreams {
			s.fail(violation("more than %d streams at once", maxStreams))
			return
		}
		run := s.current()
		if run == nil {
			s.fail(violation("a stream before the script"))
			return
		}
		s.work.Go(func() {
			if err := run.serve(stream); err != nil {
				s.fail(err)
			}
		})
	}
}

// cause tells the end of the pipe from the end of the multiplexer's patience.
func (s *Session) cause(err error) error {
	if broken := s.guard.violation(); broken != nil {
		return broken
	}
	for _, misuse := range []error{yamux.ErrInvalidVersion, yamux.ErrInvalidMsgType, yamux.ErrDuplicateStream,
		yamux.ErrRecvWindowExceeded, yamux.ErrUnexpectedFlag} {
		if errors.Is(err, misuse) {
			return violation("%v", misuse)
		}
	}
	return ErrLost
}

// dispatch accepts a message in the state in which it makes sense.
func (s *Session) dispatch(m wire.Message) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case m.Ready != nil && s.state == booting:
		if !plausible(*m.Ready) || (len(m.Ready.Code) > 0) != s.given.Compile {
			return violation("an implausible ready message")
		}
		m.Ready.Installed, m.Ready.Modules = parseInstalled(m.Ready.Installed), modules(m.Ready.Modules)
		s.ready, s.state = *m.Ready, waiting
		if s.given.Compile {
			s.state = compiled
		}
		close(s.booted)
		return nil
	case m.Frozen != nil && s.state != booting:
		select {
		case s.frozen <- *m.Frozen:
			return nil
		default:
			return violation("frozen without having been asked")
		}
	case m.Exited != nil && s.state < running:
		return ErrLost // the interpreter died; its stderr is in the backend's diagnostic
	case s.state == running:
		return s.run.message(m)
	}
	return violation("a message out of turn")
}

var (
	version      = regexp.MustCompile(`^[0-9]{1,3}(\.[0-9]{1,3}){2}$`)
	digest       = regexp.MustCompile(`^[0-9a-f]{64}$`)
	identifier   = regexp.MustCompile(`^[A-Za-z_][A-Za-z0-9_]*$`)
	distribution = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]*==[A-Za-z0-9][A-Za-z0-9._+!-]*$`)
)

// parseInstalled keeps the lines that name a distribution and its version. The box may send others;
// people read the list.
func parseInstalled(lines []string) []string {
	return slices.DeleteFunc(lines, func(line string) bool {
		return len(line) > 200 ||
			!distribution.MatchString(line)
	})
}

// modules keeps what can be the name of a module.
func modules(names []string) []string {
	return slices.DeleteFunc(names, func(name string) bool { return len(name) > 200 || !identifier.MatchString(name) })
}

func plausible(r wire.Ready) bool {
	return r.Protocol == 1 && len(r.Installed) <= wire.MaxInstalled && len(r.Modules) <= wire.MaxModules &&
		len(r.Code) <= wire.MaxCode &&
		r.Runner == RunnerDigest() && version.MatchString(r.Python) && digest.MatchString(r.Packages)
}

func (s *Session) current() *run {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.run
}

// fail ends the session; the first reason counts.
func (s *Session) fail(reason error) {
	s.mu.Lock()
	first := s.err == nil
	if first {
		s.err, s.state = reason, over
		close(s.done)
	}
	s.mu.Unlock()
	if first {
		s.mux.Close()
	}
}

func (s *Session) failure() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}
