package web

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"sync"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/app/guest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/plugins/wire"
)

// uiGuest plays scripts inside the test over the real protocol.
//
// A script has one verb a line: print TEXT, warn TEXT (to stderr), ask PROMPT, result JSON, fail
// MESSAGE (in line 2), reach HOST:PORT, hang. \n in a message is a line break.
type uiGuest struct {
	mux     *yamux.Session
	control *yamux.Stream
	sending sync.Mutex
	script  string
	out     *yamux.Stream
	errs    *yamux.Stream
	replies chan wire.LLMReply
}

type uiPipe struct {
	io.Reader
	io.Writer
}

func (p uiPipe) Close() error { return p.Reader.(io.Closer).Close() }

func playUI(ctx context.Context, _ plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
	exit := plugins.Exit{Reason: plugins.ReasonExit, PeakMemory: 48 << 20}
	mux, err := yamux.Server(uiPipe{stdin, stdout}, wire.Mux(wire.GuestWindow))
	if err != nil {
		return plugins.Exit{}, err
	}
	defer mux.Close()
	g := &uiGuest{mux: mux, replies: make(chan wire.LLMReply, 4)}
	if g.boot() != nil {
		return exit, nil // an unused box was closed
	}
	go g.listen()
	code, alive := g.play(ctx)
	if !alive {
		return plugins.Exit{}, ctx.Err()
	}
	_ = g.out.Close()
	_ = g.errs.Close()
	g.send(wire.Message{Exited: &wire.Exited{Code: code}})
	select {
	case <-mux.CloseChan():
	case <-ctx.Done():
	}
	return exit, nil
}

func (g *uiGuest) send(m wire.Message) {
	g.sending.Lock()
	defer g.sending.Unlock()
	_ = wire.Write(g.control, m)
}

func (g *uiGuest) boot() (err error) {
	if g.control, err = g.mux.AcceptStream(); err != nil {
		return err
	}
	if _, err = wire.ReadHeader(g.control); err != nil {
		return err
	}
	if _, err = wire.ReadMessage(g.control); err != nil {
		return err
	}
	g.send(wire.Message{Ready: &wire.Ready{Protocol: 1, Runner: guest.RunnerDigest(), Python: "3.11.2",
		Packages: strings.Repeat("ab", 32)}})
	for g.script == "" {
		m, err := wire.ReadMessage(g.control)
		if err != nil {
			return err
		}
		if m.Start != nil {
			g.script = m.Start.Script
		}
	}
	if g.out, err = g.open(wire.Stdout); err != nil {
		return err
	}
	g.errs, err = g.open(wire.Stderr)
	return err
}

// reach opens a connection and waits for its refusal.
func (g *uiGuest) reach(place string) {
	host, port, _ := strings.Cut(place, ":")
	n, _ := strconv.Atoi(port)
	stream, err := g.mux.OpenStream()
	if err != nil || wire.Write(stream, wire.Header{Kind: wire.Connect, Host: host, Port: n}) != nil {
		return
	}
	_, _ = io.Copy(io.Discard, stream)
	_ = stream.Close()
}

func (g *uiGuest) open(kind wire.Kind) (*yamux.Stream, error) {
	stream, err := g.mux.OpenStream()
	if err != nil {
		return nil, err
	}
	return stream, wire.Write(stream, wire.Header{Kind: kind})
}

func (g *uiGuest) listen() {
	for {
		m, err := wire.ReadMessage(g.control)
		if err != nil {
			return
		}
		if m.Freeze != nil {
			g.send(wire.Message{Frozen: &wire.Frozen{On: m.Freeze.On}})
		}
		if m.Reply != nil {
			g.replies <- *m.Reply
		}
	}
}

// play runs the lines and returns the exit code. It returns false if the box was ended from
// outside.
func (g *uiGuest) play(ctx context.Context) (code int, alive bool) {
	lines := bufio.NewScanner(strings.NewReader(g.script))
	for lines.Scan() {
		verb, rest, _ := strings.Cut(lines.Text(), " ")
		switch verb {
		case "print":
			_, _ = fmt.Fprintln(g.out, rest)
		case "warn":
			_, _ = fmt.Fprintln(g.errs, rest)
		case "result":
			g.send(wire.Message{Result: &wire.Result{Data: []byte(rest)}})
		case "reach":
			g.reach(rest)
		case "fail":
			rest = strings.ReplaceAll(rest, `\n`, "\n")
			g.send(wire.Message{Failed: &wire.Failed{Error: rest,
				Traceback: "Traceback (most recent call last):\n  File \"script.py\", line 2, in <module>\n" + rest,
				Line:      2}})
			return 1, true
		case "hang":
			<-ctx.Done()
			return 0, false
		case "ask":
			g.send(wire.Message{LLM: &wire.LLMRequest{ID: "q1", Prompt: rest, Model: "default"}})
			select {
			case r := <-g.replies:
				_, _ = fmt.Fprintln(g.out, "answer:", r.Text, r.Error != nil)
			case <-ctx.Done():
				return 0, false
			case <-g.mux.CloseChan():
				return 0, false
			}
		}
	}
	return 0, true
}
