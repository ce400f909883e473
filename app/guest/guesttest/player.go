package guesttest

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

// player is a guest in the test's own process. It speaks the real protocol and plays scripts of a
// small language, one verb a line:
//
//	print TEXT | warn TEXT | flood BYTES | ask PROMPT | model NAME (of the questions that follow) | result JSON | fail MESSAGE | setting NAME | inputs | code (that the box began with) | dial HOST PORT | asked HOST PORT LINE
//	stuck, gone (when it is woken up) | exit CODE | signal N | hang | lost | oom | pids | garbage | vanish | twice (asks two questions at once)
//
// A script that ends without exit exits with 0, and so does one that begins with #: a skill's.
type player struct {
	mux     *yamux.Session
	control *yamux.Stream
	sending sync.Mutex
	runtime string
	code    []byte // that it began with
	start   wire.Start
	out     map[wire.Kind]io.WriteCloser
	replies chan wire.LLMReply
	frozen  atomic.Bool
	wakes   atomic.Int32 // how: 0, stuck or gone
	stdout  io.Writer    // the pipe below the multiplexer

	mu     sync.Mutex
	asked  int
	model  string // of the questions; "" for the default
	exited bool   // said how the script ended
	thaw   *sync.Cond
}

// What a box does that has to be woken up.
const (
	stuck = iota + 1
	gone
)

type stdio struct {
	io.Reader
	io.Writer
}

func (s stdio) Close() error { return s.Reader.(io.Closer).Close() }

// Play is a fake.Guest.
func Play(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	mux, err := yamux.Server(stdio{stdin, stdout}, wire.Mux(wire.GuestWindow))
	if err != nil {
		return plugins.Exit{}, err
	}
	defer mux.Close()
	p := &player{mux: mux, runtime: spec.Runtime, out: map[wire.Kind]io.WriteCloser{},
		replies: make(chan wire.LLMReply, 8), stdout: stdout}
	p.thaw = sync.NewCond(&p.mu)
	exited := plugins.Exit{Reason: plugins.ReasonExit}
	if err := p.boot(spec); err != nil {
		return exited, nil // the engine closed the box
	}
	go p.listen()
	exit, err := p.script(ctx)
	if !p.exited {
		return exit, err
	}
	select {
	case <-mux.CloseChan():
	case <-ctx.Done():
	}
	return exit, nil
}

func (p *player) send(m wire.Message) error {
	p.sending.Lock()
	defer p.sending.Unlock()
	return wire.Write(p.control, m)
}

func (p *player) boot(spec plugins.Spec) (err error) {
	if p.control, err = p.mux.AcceptStream(); err != nil {
		return err
	}
	if _, err := wire.ReadHeader(p.control); err != nil {
		return err
	}
	m, err := wire.ReadMessage(p.control)
	if err != nil || m.Boot == nil {
		return errors.Join(err, errors.New("no boot"))
	}
	p.code = m.Boot.Code
	ready := wire.Ready{Protocol: 1, Runner: guest.RunnerDigest(), Python: "3.11.2", Packages: strings.Repeat("ab", 32)}
	ready.Forked = p.runtime == "forked" && !spec.Fresh || p.runtime == "always forked"
	if strings.HasPrefix(p.runtime, "compiled:") { // one that tells what it compiled
		ready.Compiled = len(p.code) == 0
	}
	if m.Boot.Compile {
		ready.Code = []byte("code of " + p.runtime)
	}
	if err := p.send(wire.Message{Ready: &ready}); err != nil {
		return err
	}
	for p.start.Script == "" {
		m, err := wire.ReadMessage(p.control)
		if err != nil {
			return err
		}
		if m.Start != nil {
			p.start = *m.Start
		}
	}
	for _, kind := range []wire.Kind{wire.Stdout, wire.Stderr} {
		stream, err := p.mux.OpenStream()
		if err != nil {
			return err
		}
		if err := wire.Write(stream, wire.Header{Kind: kind}); err != nil {
			return err
		}
		p.out[kind] = stream
	}
	return nil
}

// listen takes what the engine says while the script runs.
func (p *player) listen() {
	for {
		m, err := wire.ReadMessage(p.control)
		if err != nil {
			p.setFrozen(false)
			return
		}
		switch {
		case m.Freeze != nil && !m.Freeze.On && p.wakes.Load() == gone:
			_ = p.mux.Close()
		case m.Freeze != nil && !m.Freeze.On && p.wakes.Load() == stuck:
			_ = p.send(wire.Message{Frozen: &wire.Frozen{On: true}})
		case m.Freeze != nil:
			p.setFrozen(m.Freeze.On)
			_ = p.send(wire.Message{Frozen: &wire.Frozen{On: m.Freeze.On}})
		case m.Reply != nil:
			p.replies <- *m.Reply
		case m.Stop != nil:
			for _, out := range p.out {
				_ = out.Close()
			}
			_ = p.send(wire.Message{Exited: &wire.Exited{Code: -1, Signal: 9}})
		}
	}
}

func (p *player) setFrozen(on bool) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.frozen.Store(on)
	p.thaw.Broadcast()
}

// whileFrozen blocks like a stopped process.
func (p *player) whileFrozen() {
	p.mu.Lock()
	defer p.mu.Unlock()
	for p.frozen.Load() {
		p.thaw.Wait()
	}
}

func (p *player) script(ctx context.Context) (plugins.Exit, error) {
	lines := bufio.NewScanner(strings.NewReader(p.start.Script))
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		p.whileFrozen()
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		if exit, err, end := p.line(ctx, verb, rest); end {
			return exit, err
		}
	}
	return p.exit(wire.Exited{})
}

func (p *player) exit(status wire.Exited) (plugins.Exit, error) {
	for _, out := range p.out {
		_ = out.Close()
	}
	_ = p.send(wire.Message{Exited: &status})
	p.exited = true
	return plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: 1 << 20}, nil
}

func (p *player) line(ctx context.Context, verb, rest string) (exit plugins.Exit, err error, end bool) {
	switch verb {
	case "#": // a skill
		exit, err = p.exit(wire.Exited{})
		return exit, err, true
	case "print":
		_, _ = fmt.Fprintln(p.out[wire.Stdout], rest)
	case "warn":
		_, _ = fmt.Fprintln(p.out[wire.Stderr], rest)
	case "flood":
		n, _ := strconv.Atoi(rest)
		n = min(n, int(p.start.MaxOutput))
		for chunk := []byte(strings.Repeat("x", 32<<10)); n > 0; n -= len(chunk) {
			_, _ = p.out[wire.Stdout].Write(chunk[:min(n, len(chunk))])
		}
	case "model":
		p.model = rest
	case "stuck":
		p.wakes.Store(stuck)
	case "gone":
		p.wakes.Store(gone)
	case "ask":
		answer := p.ask(ctx, rest)
		_, _ = fmt.Fprintln(p.out[wire.Stdout], "answer:", answer)
	case "twice":
		p.question("first")
		p.question("second")
		for range 2 {
			r, ok := p.await(ctx)
			if !ok {
				break
			}
			_, _ = fmt.Fprintln(p.out[wire.Stdout], r.ID, r.Text)
		}
	case "leave":
		p.question(rest) // and doesn't wait for the answer
	case "setting":
		_, _ = fmt.Fprintln(p.out[wire.Stdout], p.start.Settings[rest])
	case "code":
		_, _ = fmt.Fprintf(p.out[wire.Stdout], "%s\n", p.code)
	case "inputs":
		_, _ = fmt.Fprintln(p.out[wire.Stdout], string(p.start.Inputs))
	case "result":
		_ = p.send(wire.Message{Result: &wire.Result{Data: []byte(rest)}})
	case "fail":
		_ = p.send(wire.Message{Failed: &wire.Failed{Error: rest, Traceback: "Traceback:\n  line 7\n" + rest, Line: 7}})
	case "dial":
		p.dial(rest)
	case "asked":
		var a wire.Asked
		_, _ = fmt.Sscan(rest, &a.Host, &a.Port, &a.Line)
		_ = p.send(wire.Message{Asked: &a})
	case "exit":
		code, _ := strconv.Atoi(rest)
		exit, err = p.exit(wire.Exited{Code: code})
		return exit, err, true
	case "signal":
		n, _ := strconv.Atoi(rest)
		exit, err = p.exit(wire.Exited{Code: -1, Signal: n})
		return exit, err, true
	case "hang":
		<-ctx.Done()
		return plugins.Exit{}, ctx.Err(), true
	case "lost":
		return plugins.Exit{}, plugins.ErrLost, true
	case "cut":
		return plugins.Exit{}, fmt.Errorf("%w: the cable", plugins.ErrCut), true
	case "oom":
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonOOM}, nil, true
	case "pids":
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonPids, PidsHit: true}, nil, true
	case "vanish":
		return plugins.Exit{Reason: plugins.ReasonExit}, nil, true
	case "garbage":
		_, _ = p.stdout.Write([]byte("this is not a frame at all, not in the least"))
		<-ctx.Done()
		return plugins.Exit{}, ctx.Err(), true
	default:
		panic("player: unknown verb " + verb)
	}
	return plugins.Exit{}, nil, false
}

func (p *player) question(prompt string) {
	p.asked++
	_ = p.send(wire.Message{LLM: &wire.LLMRequest{ID: fmt.Sprintf("q%d", p.asked), Prompt: prompt,
		Model: cmp.Or(p.model, "default")}})
}

func (p *player) await(ctx context.Context) (wire.LLMReply, bool) {
	select {
	case r := <-p.replies:
		return r, true
	case <-p.mux.CloseChan():
	case <-ctx.Done():
	}
	return wire.LLMReply{}, false
}

func (p *player) ask(ctx context.Context, prompt string) string {
	p.question(prompt)
	r, ok := p.await(ctx)
	switch {
	case !ok:
		return ""
	case r.Error != nil:
		return "error " + *r.Error
	}
	return r.Text
}

func (p *player) dial(rest string) {
	host, port, _ := strings.Cut(rest, " ")
	n, _ := strconv.Atoi(port)
	stream, err := p.mux.OpenStream()
	if err != nil {
		return
	}
	defer stream.Close()
	_ = wire.Write(stream, wire.Header{Kind: wire.Connect, Host: host, Port: n})
	reply, _ := wire.ReadConnectReply(stream)
	_, _ = fmt.Fprintln(p.out[wire.Stdout], "dial:", reply.OK)
}
