package main

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"slices"
	"sync"
	"sync/atomic"
	"time"

	"github.com/hashicorp/yamux"
	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/wire"
)

const (
	// diagnostic is how much of a broken interpreter's stderr operators get.
	diagnostic = 4 << 10

	// drainWithin bounds the wait for output in pipes that no process writes any longer.
	drainWithin = time.Minute

	// sendWithin bounds the wait for network bytes sent just before the script ended.
	sendWithin = 2 * time.Second
)

// guest is one box: one runner, one script, one end.
type guest struct {
	mux     *yamux.Session
	control *yamux.Stream

	sending sync.Mutex // control frames
	exited  bool       // Exited was sent; guarded by sending

	box        box
	tmp        string   // where the script begins: the box's own writable directory
	log        *os.File // for operators
	runner     *runner
	sdk        *channel
	digest     string // of the runner's source
	compiles   bool   // the runner, for other boxes, and nothing else
	net        *network
	supervisor *supervisorLink // nil in a box with a pid namespace of its own

	mu       sync.Mutex
	started  bool
	ended    bool
	outputs  sync.WaitGroup
	out, err output
}

// serve runs the guest's side of the session until something breaks. The pipe's end ends the box.
// window: bytes each stream may keep.
func (g *guest) serve(pipe io.ReadWriteCloser, window uint32) (err error) {
	if g.mux, err = yamux.Server(pipe, wire.Mux(window)); err != nil {
		return err
	}
	go func() {
		<-g.mux.CloseChan()
		g.box.end()
	}()
	err = g.live()
	if g.mux.IsClosed() {
		return nil // which is why
	}
	return err
}

// live boots and obeys until something breaks.
func (g *guest) live() error {
	if err := g.boot(); err != nil {
		return fmt.Errorf("boot: %w", err)
	}
	for {
		message, err := wire.ReadMessage(g.control)
		if err != nil {
			return fmt.Errorf("control stream: %w", err)
		}
		if err := g.handle(message); err != nil {
			return err
		}
	}
}

func (g *guest) boot() error {
	var err error
	if g.control, err = g.mux.AcceptStream(); err != nil {
		return err
	}
	header, err := wire.ReadHeader(g.control)
	if err != nil {
		return err
	}
	message, err := wire.ReadMessage(g.control)
	if err != nil {
		return err
	}
	if header.Kind != wire.Control || message.Boot == nil {
		return errors.New("the session must begin with a control stream and boot")
	}
	sum := sha256.Sum256(message.Boot.Runner)
	g.digest = hex.EncodeToString(sum[:])
	g.compiles = message.Boot.Compile
	dirs, dirsEnv := fileDirs(g.tmp)
	files, filesEnv := trust(g.tmp, message.Boot.CA)
	if err := g.box.write(dirs, files); err != nil {
		return err
	}
	env := slices.Concat(dirsEnv, filesEnv)
	if g.supervisor != nil {
		env = append(env, supervisedEnv()...)
	}
	if g.runner, err = startRunner(message.Boot, g.box, g.tmp, env); err != nil {
		return err
	}
	g.net = openNetwork(g)
	ended, gone := g.box.reap(g.runner.pid)
	g.sdk = newChannel(g.runner.sdk, g.fromRunner)
	go g.await(ended, gone)
	return nil
}

// stop ends the runner; finish does the rest.
func (g *guest) stop() {
	g.mu.Lock()
	defer g.mu.Unlock()
	if !g.ended {
		g.box.kill(g.runner.pid, unix.SIGKILL)
	}
}

// handle obeys one message of the engine.
func (g *guest) handle(m wire.Message) error {
	switch {
	case m.Start != nil:
		return g.start(m.Start)
	case m.Reply != nil:
		g.sdk.send(m)
	case m.Abort != nil:
		g.net.abort(m.Abort.Stream)
	case m.Freeze != nil:
		return g.send(wire.Message{Frozen: &wire.Frozen{On: g.box.Set(m.Freeze.On)}})
	case m.Stop != nil:
		g.stop()
	case m.Kill != nil:
		g.box.end()
	default:
		return errors.New("unexpected message from the engine")
	}
	return nil
}

// start binds policy and script to this box. Names and ports come first: the script needs them.
func (g *guest) start(s *wire.Start) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	if g.started {
		return errors.New("a second script for one box")
	}
	if g.compiles {
		return errors.New("a script for a box that compiles")
	}
	if g.ended {
		return nil // the engine is about to learn it
	}
	g.started = true
	if g.supervisor != nil {
		if err := g.supervisor.begin(); err != nil {
			return err
		}
	}
	if err := g.net.allow(s.Hosts); err != nil {
		return fmt.Errorf("network: %w", err)
	}
	s.Hosts = nil
	// before the outputs, whose streams open slowly; finish waits for them
	if len(s.Files) == 0 {
		g.sdk.send(wire.Message{Start: s})
	} else {
		go func() { // the engine's messages don't wait for files
			s.Problem = g.receive(s.Files)
			g.sdk.send(wire.Message{Start: s})
		}()
	}
	g.outputs.Go(func() { g.out.relay(g.mux, wire.Stdout, g.runner.stdout, s.MaxOutput) })
	g.outputs.Go(func() { g.err.relay(g.mux, wire.Stderr, g.runner.stderr, s.MaxOutput) })
	return nil
}

// fromRunner forwards a runner's message, and reports whether it was proper.
func (g *guest) fromRunner(m wire.Message) bool {
	g.mu.Lock()
	started := g.started
	g.mu.Unlock()
	switch {
	case m.Ready != nil && !started:
		g.box.spoke(g.runner.pid)
		m.Ready.Protocol, m.Ready.Runner, m.Ready.Compiled = 1, g.digest, len(m.Ready.Code) > 0
		_, m.Ready.Forked = g.box.(*forked)
		if !g.compiles {
			m.Ready.Code = nil
		}
	case (m.LLM != nil || m.Result != nil || m.Failed != nil || m.Asked != nil) && started:
	default:
		return false
	}
	return g.send(m) == nil
}

// send sends a message. After Exited only answers to a freeze go out: the engine expects them.
func (g *guest) send(m wire.Message) error {
	g.sending.Lock()
	defer g.sending.Unlock()
	if g.exited && m.Frozen == nil {
		return nil
	}
	g.exited = g.exited || m.Exited != nil
	return wire.Write(g.control, m)
}

// await finishes the script once it has ended. A box that is gone has no status to report.
func (g *guest) await(ended <-chan unix.WaitStatus, gone <-chan struct{}) {
	defer g.runner.close()
	if status, ok := <-ended; ok {
		g.finish(status, gone)
	}
}

// finish ends what the runner left, delivers output, then its status.
func (g *guest) finish(status unix.WaitStatus, gone <-chan struct{}) {
	killAll(g.box, gone)
	g.mu.Lock()
	g.ended = true
	started := g.started
	g.mu.Unlock()
	waitAtMost(drainWithin, func() {
		<-g.sdk.closed
		if !started {
			_, _ = io.CopyN(g.log, g.runner.stderr, diagnostic)
		}
		g.outputs.Wait()
	})
	waitAtMost(sendWithin, g.net.flush)
	exited := wire.Exited{Code: status.ExitStatus(), DroppedStdout: g.out.dropped.Load(),
		DroppedStderr: g.err.dropped.Load(), TmpFull: g.box.isFull("/tmp"), ShmFull: g.box.isFull("/dev/shm")}
	if status.Signaled() {
		exited.Code, exited.Signal = -1, int(status.Signal())
	}
	var send func(io.Writer)
	if started {
		exited.Artifacts, send = g.box.artifacts()
	}
	if g.send(wire.Message{Exited: &exited}) == nil && exited.Artifacts {
		g.sendArtifacts(send)
	}
}

func (g *guest) sendArtifacts(send func(io.Writer)) {
	stream, err := g.mux.OpenStream()
	if err != nil {
		return
	}
	defer stream.Close()
	if wire.Write(stream, wire.Header{Kind: wire.Artifacts}) == nil {
		send(stream)
	}
}

func waitAtMost(limit time.Duration, f func()) {
	done := make(chan struct{})
	go func() {
		defer close(done)
		f()
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// output relays one of the script's output pipes.
type output struct {
	dropped atomic.Int64 // bytes beyond the cap
}

// relay copies up to limit bytes into a stream and drops the rest. So a script that prints too much
// is cut, not blocked. It returns at the pipe's end, with the stream closed.
func (o *output) relay(mux *yamux.Session, kind wire.Kind, from io.Reader, limit int64) {
	stream, err := mux.OpenStream()
	if err != nil {
		return
	}
	defer stream.Close()
	if wire.Write(stream, wire.Header{Kind: kind}) != nil {
		return
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		send := min(int64(n), limit)
		limit -= send
		o.dropped.Add(int64(n) - send)
		if send > 0 {
			if _, err := stream.Write(buf[:send]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
