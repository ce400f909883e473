package guest

import (
	"context"
	"errors"
	"fmt"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
	"golang.org/x/time/rate"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/plugins/wire"
)

const (
	// outputWithin bounds the wait for the end of the output streams. A guest closes them before it
	// reports the script's end.
	outputWithin = 10 * time.Second

	// sendWithin bounds the wait for bytes that the script sent to the network just before it
	// ended.
	sendWithin = 2 * time.Second
)

type run struct {
	session *Session
	job     Job
	handler Handler
	ctx     context.Context // ends with the execution
	stdout  sink
	stderr  sink
	connect *rate.Limiter
	exited  chan struct{}

	filesSent atomic.Bool
	artifacts artifacts

	mu          sync.Mutex
	outcome     Outcome
	result      []byte
	asked       map[string]bool // ids of all questions
	questions   int
	claims      int                    // passed on
	open        int                    // bytes of the questions without an answer
	connections map[uint32]*connection // by stream id
	sending     int                    // connections with bytes on their way out
	quiet       chan struct{}          // closed when there are none; nil unless awaited
}

// Run sends the job and returns when the script has ended and all its output was handled. When ctx
// ends, Run stops the script and collects its files, for at most stopWithin and leftWithin. It can
// be called once and ends the session. With an error (ErrLost, ErrUsed, a *ProtocolError, or ctx's
// cause) the Outcome holds the facts so far.
func (s *Session) Run(ctx context.Context, job Job, handler Handler) (Outcome, error) {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r, err := s.begin(ctx, job, handler)
	if err != nil {
		return Outcome{}, err
	}
	err = r.wait()
	if r.ctx.Err() != nil {
		r.stop()
	}
	cancel()
	s.fail(ErrUsed)
	s.work.Wait()
	outcome, invalid := r.conclude()
	if err == nil {
		err = invalid
	}
	return outcome, err
}

func (s *Session) begin(ctx context.Context, job Job, handler Handler) (*run, error) {
	if job.Questions == 0 {
		job.Questions = app.MaxLLMCalls
	}
	r := &run{
		session: s, job: job, handler: handler, ctx: ctx,
		stdout:  sink{limit: job.MaxOutput, write: handler.Stdout, ended: make(chan struct{})},
		stderr:  sink{limit: job.MaxOutput, write: handler.Stderr, ended: make(chan struct{})},
		connect: rate.NewLimiter(connectRate, connectRate),
		exited:  make(chan struct{}), artifacts: artifacts{ended: make(chan struct{})},
		asked: map[string]bool{}, connections: map[uint32]*connection{},
	}
	if err := s.enter(r); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	start := wire.Start{
		Script: job.Script, Skill: job.Skill, Settings: job.Settings, Inputs: job.Inputs, Hosts: job.Hosts,
		MaxOutput: job.MaxOutput, MaxResult: job.MaxResult, Files: wireFiles(job.Files),
	}
	if err := s.post(ctx, wire.Message{Start: &start}); err != nil {
		s.Close()
		return nil, fmt.Errorf("%w: %w", ErrNotStarted, err)
	}
	return r, nil
}

// enter makes r the session's only run.
func (s *Session) enter(r *run) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	switch {
	case s.err != nil:
		return s.err
	case s.state != waiting:
		return ErrUsed
	}
	s.run, s.state = r, running
	return nil
}

// wait returns nil once the guest has said how the script ended and its streams have ended.
func (r *run) wait() error {
	var limit <-chan time.Time // none while the script runs: its clocks are the engine's
	done := r.session.done
	for _, event := range []<-chan struct{}{r.exited, r.stdout.ended, r.stderr.ended} {
		for waiting := true; waiting; {
			select {
			case <-event:
				waiting = false
			case <-limit:
				return violation("output went on after the script's end")
			case <-r.ctx.Done():
				return context.Cause(r.ctx)
			case <-done:
				if reason := r.session.failure(); !errors.Is(reason, ErrLost) || !r.hasExited() {
					return reason
				}
				done = nil // a box that is gone after its last word is as good as one that waits
			}
		}
		if event == r.exited {
			limit = time.After(outputWithin)
		}
	}
	select {
	case <-r.silence():
	case <-time.After(sendWithin):
	case <-r.ctx.Done():
	case <-done:
	}
	r.awaitArtifacts(artifactsWithin, r.ctx.Done())
	return nil
}

func (r *run) hasExited() bool {
	select {
	case <-r.exited:
		return true
	default:
		return false
	}
}

// conclude checks what only counts once it is final.
func (r *run) conclude() (Outcome, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	outcome := r.outcome
	outcome.ArtifactsCut = outcome.Exited.Artifacts && r.handler.Artifact != nil && !r.artifacts.whole.Load()
	if r.result == nil {
		return outcome, nil
	}
	if err := checkResult(r.result); err != nil {
		return outcome, err
	}
	outcome.Result = r.result
	return outcome, nil
}

// serve handles one stream until it ends. An error ends the session.
func (r *run) serve(stream *yamux.Stream) error {
	header, err := wire.ReadHeader(stream)
	switch {
	case err != nil && r.session.mux.IsClosed():
		return nil
	case err != nil:
		return violation("a stream without a header")
	case header.Kind == wire.Connect:
		return r.relay(stream, header)
	case header.Host != "" || header.Port != 0 || header.Record != "" || header.Limit != "":
	case header.Kind == wire.Stdout:
		return r.stdout.drain(stream)
	case header.Kind == wire.Stderr:
		return r.stderr.drain(stream)
	case header.Kind == wire.Files:
		return r.sendFiles(stream)
	case header.Kind == wire.Artifacts:
		return r.collect(stream)
	}
	return violation("a stream of an unknown kind")
}

type sink struct {
	limit  int64
	write  func([]byte)
	ended  chan struct{}
	opened atomic.Bool
}

// drain reads the stream to its end. An honest guest cuts at the limit, so more is a violation.
func (s *sink) drain(stream io.ReadCloser) error {
	if s.opened.Swap(true) {
		return violation("an output stream was opened twice")
	}
	defer close(s.ended)
	defer stream.Close()
	buf := make([]byte, 2<<10) // most scripts print little, and may then wait for hours
	for left := s.limit; ; {
		n, err := stream.Read(buf)
		if left -= int64(n); left < 0 {
			return violation("more output than the limit")
		}
		if n > 0 {
			s.write(buf[:n])
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return violation("an output stream broke")
		}
		if n == len(buf) && n < 32<<10 {
			buf = make([]byte, 32<<10)
		}
	}
}

// checkResult accepts exactly one JSON value that can be redacted.
func checkResult(data []byte) error {
	if redact.CheckJSON(data) != nil {
		return violation("a result that isn't one JSON value, or is nested too deeply")
	}
	return nil
}
