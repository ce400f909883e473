package guest

import (
	"context"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/plugins/wire"
)

// impostor is a box under the attacker's full control: it speaks yamux and says what it likes.
type impostor struct {
	t       testing.TB
	mux     *yamux.Session
	control *yamux.Stream
	raw     net.Conn
}

func goodReady() wire.Message {
	return wire.Message{Ready: &wire.Ready{Protocol: 1, Runner: RunnerDigest(), Python: "3.11.2",
		Packages: strings.Repeat("0", 64)}}
}

func (i *impostor) say(m any) { _ = wire.Write(i.control, m) }

func (i *impostor) open(h any) *yamux.Stream {
	s, err := i.mux.OpenStream()
	if err != nil {
		return nil
	}
	_ = wire.Write(s, h)
	return s
}

// start reads up to and including the start message.
func (i *impostor) start() {
	i.say(goodReady())
	_, _ = wire.ReadMessage(i.control)
}

// TestNothingIsAcceptedBeforeTheScript: an idle box that speaks up is over.
func TestNothingIsAcceptedBeforeTheScript(t *testing.T) {
	for name, act := range map[string]func(*impostor){
		"result": func(i *impostor) { i.say(wire.Message{Result: &wire.Result{Data: []byte("1")}}) },
		"stream": func(i *impostor) { i.open(wire.Header{Kind: wire.Stdout}) },
		"ready":  func(i *impostor) { i.say(goodReady()) },
		"exited": func(i *impostor) { i.say(wire.Message{Exited: &wire.Exited{}}) },
	} {
		t.Run(name, func(t *testing.T) {
			ours, done := impersonate(t, func(i *impostor) { i.say(goodReady()); act(i) })
			defer func() { ours.Close(); <-done }()
			s, err := Open(t.Context(), ours, ours, Boot{})
			if err != nil {
				return // it spoke before Open had returned
			}
			defer s.Close()
			<-s.Done()
			if _, err := s.Run(t.Context(), job("pass"), (&recorder{}).handler()); !errors.As(err,
				new(*ProtocolError)) &&
				name != "exited" {
				t.Error(err)
			}
		})
	}
}

// against runs an honest engine's Open and Run against the impostor's act.
func against(t testing.TB, act func(*impostor)) (Outcome, error) {
	t.Helper()
	ours, done := impersonate(t, act)
	// a thousand times what it takes: boxes of other tests may have most of the processors
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute)
	defer cancel()
	defer func() { ours.Close(); <-done }()
	s, err := Open(ctx, ours, ours, Boot{})
	if err != nil {
		return Outcome{}, err
	}
	defer s.Close()
	j := job("pass")
	j.MaxOutput, j.MaxResult = 1000, 1000
	return s.Run(ctx, j, (&recorder{}).handler())
}

// impersonate answers the engine's boot and then acts.
func impersonate(t testing.TB, act func(*impostor)) (net.Conn, <-chan struct{}) {
	ours, theirs := net.Pipe()
	done := make(chan struct{})
	go func() {
		defer close(done)
		config := wire.Mux(wire.GuestWindow)
		config.AcceptBacklog = 1 << 16 // an impostor doesn't wait for anyone
		mux, err := yamux.Server(theirs, config)
		if err != nil {
			return
		}
		defer mux.Close()
		control, err := mux.AcceptStream()
		if err != nil {
			return
		}
		i := &impostor{t: t, mux: mux, control: control, raw: theirs}
		if _, err := wire.ReadHeader(control); err != nil {
			return
		}
		if m, err := wire.ReadMessage(control); err != nil || m.Boot == nil {
			return
		}
		act(i)
		<-mux.CloseChan()
	}()
	return ours, done
}

func TestImpostors(t *testing.T) {
	result := func(data string) wire.Message { return wire.Message{Result: &wire.Result{Data: []byte(data)}} }
	exited := func(e wire.Exited) wire.Message { return wire.Message{Exited: &e} }
	outputs := func(i *impostor) {
		for _, kind := range []wire.Kind{wire.Stdout, wire.Stderr} {
			if s := i.open(wire.Header{Kind: kind}); s != nil {
				s.Close()
			}
		}
	}
	for name, act := range map[string]func(*impostor){
		"ready with another protocol": func(i *impostor) { m := goodReady(); m.Ready.Protocol = 2; i.say(m) },
		"ready with another runner": func(i *impostor) {
			m := goodReady()
			m.Ready.Runner = strings.Repeat("0",
				64)
			i.say(m)
		},
		"ready with a long version": func(i *impostor) {
			m := goodReady()
			m.Ready.Python = strings.Repeat("3",
				1<<20)
			i.say(m)
		},
		"ready with a long list": func(i *impostor) {
			m := goodReady()
			m.Ready.Installed = make([]string,
				wire.MaxInstalled+1)
			i.say(m)
		},
		"ready with many modules": func(i *impostor) {
			m := goodReady()
			m.Ready.Modules = make([]string, wire.MaxModules+1)
			i.say(m)
		},
		"ready with code nobody asked for": func(i *impostor) { m := goodReady(); m.Ready.Code = []byte("code"); i.say(m) },
		"ready with markup":                func(i *impostor) { m := goodReady(); m.Ready.Packages = "<script>" + strings.Repeat("0", 56); i.say(m) },
		"ready twice":                      func(i *impostor) { i.say(goodReady()); i.say(goodReady()) },
		"result before ready":              func(i *impostor) { i.say(result("1")) },
		"stream before start":              func(i *impostor) { i.open(wire.Header{Kind: wire.Stdout}) },
		"frozen unasked": func(i *impostor) {
			i.start()
			i.say(wire.Message{Frozen: &wire.Frozen{}})
			i.say(wire.Message{Frozen: &wire.Frozen{}})
		},
		"engine's own message": func(i *impostor) { i.start(); i.say(wire.Message{Kill: &wire.Kill{}}) },
		"reply":                func(i *impostor) { i.start(); i.say(wire.Message{Reply: &wire.LLMReply{ID: "1"}}) },
		"start":                func(i *impostor) { i.start(); i.say(wire.Message{Start: &wire.Start{}}) },
		"garbage": func(i *impostor) {
			i.start()
			_,
				_ = i.control.Write([]byte("garbage garbage garbage"))
		},
		"huge frame": func(i *impostor) { i.start(); _, _ = i.control.Write([]byte{255, 255, 255, 255}) },
		"unknown field": func(i *impostor) {
			i.start()
			i.say(map[string]any{"exited": map[string]any{"code": 0, "reason": "fine"}})
		},
		"control ends":         func(i *impostor) { i.start(); i.control.Close() },
		"impossible code":      func(i *impostor) { i.start(); i.say(exited(wire.Exited{Code: 256})) },
		"code and signal":      func(i *impostor) { i.start(); i.say(exited(wire.Exited{Code: 1, Signal: 9})) },
		"signal 65":            func(i *impostor) { i.start(); i.say(exited(wire.Exited{Code: -1, Signal: 65})) },
		"negative drops":       func(i *impostor) { i.start(); i.say(exited(wire.Exited{DroppedStdout: -1})) },
		"exited twice":         func(i *impostor) { i.start(); i.say(exited(wire.Exited{})); i.say(exited(wire.Exited{})) },
		"result after exit":    func(i *impostor) { i.start(); i.say(exited(wire.Exited{})); i.say(result("1")) },
		"result too large":     func(i *impostor) { i.start(); i.say(result(strings.Repeat("1", 1001))) },
		"result not JSON":      func(i *impostor) { i.start(); i.say(result("{")); outputs(i); i.say(exited(wire.Exited{})) },
		"result of two values": func(i *impostor) { i.start(); i.say(result("1 2")); outputs(i); i.say(exited(wire.Exited{})) },
		"result empty":         func(i *impostor) { i.start(); i.say(result("")); outputs(i); i.say(exited(wire.Exited{})) },
		"result NaN":           func(i *impostor) { i.start(); i.say(result("NaN")); outputs(i); i.say(exited(wire.Exited{})) },
		"result not UTF-8":     func(i *impostor) { i.start(); i.say(result("\"\xff\"")); outputs(i); i.say(exited(wire.Exited{})) },
		"result too deep": func(i *impostor) {
			i.start()
			i.say(result(strings.Repeat("[", 201) + strings.Repeat("]", 201)))
			outputs(i)
			i.say(exited(wire.Exited{}))
		},
		"stdout twice": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Stdout})
			i.open(wire.Header{Kind: wire.Stdout})
		},
		"stdout too long": func(i *impostor) {
			i.start()
			if s := i.open(wire.Header{Kind: wire.Stdout}); s != nil {
				_, _ = s.Write(make([]byte, 1001))
			}
		},
		"stdout never ends":     func(i *impostor) { i.start(); i.open(wire.Header{Kind: wire.Stdout}); i.say(exited(wire.Exited{})) },
		"no output streams":     func(i *impostor) { i.start(); i.say(exited(wire.Exited{})) },
		"control opened by box": func(i *impostor) { i.start(); i.open(wire.Header{Kind: wire.Control}) },
		"unknown kind":          func(i *impostor) { i.start(); i.open(wire.Header{Kind: "files"}) },
		"stdout with a host": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Stdout, Host: "x",
				Port: 1})
		},
		"header is garbage": func(i *impostor) { i.start(); i.open("garbage") },
		"header ends":       func(i *impostor) { i.start(); s, _ := i.mux.OpenStream(); s.Close() },
		"header too long": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect, Host: strings.Repeat("a", 1<<16)})
		},
		"connect to an address": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect, Host: "::1",
				Port: 1})
		},
		"connect to NUL": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect, Host: "a\x00.example.com", Port: 1})
		},
		"connect to upper case": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect,
				Host: "A.example.com", Port: 1})
		},
		"connect to an empty name": func(i *impostor) { i.start(); i.open(wire.Header{Kind: wire.Connect, Port: 1}) },
		"connect to port -1": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect, Host: "a.example.com", Port: -1})
		},
		"connect to port 65536": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect, Host: "a.example.com", Port: 65536})
		},
		"connect with an unknown limit": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Connect, Host: "a.example.com", Port: 1, Limit: "moon"})
		},
		"output with a limit": func(i *impostor) {
			i.start()
			i.open(wire.Header{Kind: wire.Stdout, Limit: wire.LimitOpen})
		},
		"too many streams": func(i *impostor) {
			i.start()
			for range maxStreams + 10 {
				if _, err := i.mux.OpenStream(); err != nil {
					return
				}
			}
		},
		"questions without end": func(i *impostor) {
			i.start()
			for n := 0; !i.mux.IsClosed(); n++ {
				i.say(wire.Message{LLM: &wire.LLMRequest{ID: strings.Repeat("x", n%64+1) + strings.Repeat("y",
					n/64%64)}})
			}
		},
		"ping":             func(i *impostor) { i.start(); _, _ = i.raw.Write(muxFrame(2, 1, 0, 0)) },
		"go away":          func(i *impostor) { i.start(); _, _ = i.raw.Write(muxFrame(3, 0, 0, 0)) },
		"not yamux":        func(i *impostor) { i.start(); _, _ = i.raw.Write([]byte("HTTP/1.1 200 OK\r\n\r\n")) },
		"engine's stream":  func(i *impostor) { i.start(); _, _ = i.raw.Write(muxFrame(1, 1, 3, 0)) },
		"unknown flag":     func(i *impostor) { i.start(); _, _ = i.raw.Write(muxFrame(1, 16, 2, 0)) },
		"data over window": func(i *impostor) { i.start(); _, _ = i.raw.Write(muxFrame(0, 0, 1, 1<<30)) },
		"duplicate stream": func(i *impostor) {
			i.start()
			_, _ = i.raw.Write(muxFrame(1, 1, 8, 0))
			_, _ = i.raw.Write(muxFrame(1, 1, 8, 0))
		},
		"window exceeded bit by bit": func(i *impostor) {
			i.start()
			_, _ = i.raw.Write(muxFrame(1, 1, 8, 0))
			for range 3 {
				_, _ = i.raw.Write(muxFrame(0, 0, 8, 200<<10))
				_, _ = i.raw.Write(make([]byte, 200<<10))
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			outcome, err := against(t, act)
			// yamux detects these itself and says goodbye; its reason races with the impostor's
			// hanging up
			lost := (name == "duplicate stream" || name == "window exceeded bit by bit") && errors.Is(err, ErrLost)
			if !errors.As(err, new(*ProtocolError)) && !lost {
				t.Errorf("%v %+v", err, outcome)
			}
			if outcome.Result != nil {
				t.Errorf("result %s", outcome.Result)
			}
		})
	}
}

func muxFrame(kind uint8, flags uint16, id, length uint32) []byte {
	b := []byte{0, kind}
	b = binary.BigEndian.AppendUint16(b, flags)
	b = binary.BigEndian.AppendUint32(b, id)
	return binary.BigEndian.AppendUint32(b, length)
}

func TestFloodsStayBounded(t *testing.T) {
	var before, after runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&before)
	_, err := against(t, func(i *impostor) {
		i.start()
		chunk := make([]byte, wire.EngineWindow)
		for id := uint32(2); id < 20_000; id += 2 {
			if _, err := i.raw.Write(muxFrame(1, 1, id, 0)); err != nil {
				return
			}
			_, _ = i.raw.Write(muxFrame(0, 0, id, uint32(len(chunk))))
			_, _ = i.raw.Write(chunk)
		}
	})
	runtime.ReadMemStats(&after)
	if !errors.As(err, new(*ProtocolError)) {
		t.Error(err)
	}
	if grown := after.TotalAlloc - before.TotalAlloc; grown > 300<<20 {
		t.Errorf("%d MiB were allocated", grown>>20)
	}
}

// TestSilence: a box that says nothing is given up when the caller's time is.
func TestSilence(t *testing.T) {
	ours, theirs := net.Pipe()
	defer theirs.Close()
	ctx, cancel := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer cancel()
	if _, err := Open(ctx, ours, ours, Boot{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Error(err)
	}
}

func TestNoPythonIsLost(t *testing.T) {
	if _, err := against(t, func(i *impostor) { i.say(wire.Message{Exited: &wire.Exited{Code: 127}}) }); !errors.Is(err,
		ErrLost) {
		t.Error(err)
	}
}

type replay struct {
	io.Reader
	io.Writer
}

func (replay) Close() error { return nil }

// FuzzHost feeds arbitrary bytes to the engine's side. It must end without a panic or a leaked
// goroutine.
func FuzzHost(f *testing.F) {
	frame := func(m any) []byte {
		b, err := wire.Encode(m)
		if err != nil {
			f.Fatal(err)
		}
		return append(muxFrame(0, 0, 1, uint32(len(b))), b...)
	}
	stream := func(id uint32, h wire.Header) []byte {
		b, _ := wire.Encode(h)
		return append(append(muxFrame(1, 1, id, 0), muxFrame(0, 4, id, uint32(len(b)))...), b...)
	}
	ack := muxFrame(1, 2, 1, 0)
	ready := append(ack, frame(goodReady())...)
	f.Add(ready)
	f.Add(append(ready, frame(wire.Message{Exited: &wire.Exited{}})...))
	f.Add(append(append(append(ready, stream(2, wire.Header{Kind: wire.Stdout})...),
		stream(4, wire.Header{Kind: wire.Stderr})...), frame(wire.Message{Exited: &wire.Exited{Code: 1}})...))
	f.Add(append(ready, stream(2, wire.Header{Kind: wire.Connect, Host: "a.example.com", Port: 443})...))
	f.Add(append(ready, frame(wire.Message{LLM: &wire.LLMRequest{ID: "1"}})...))
	f.Add(append(ready, muxFrame(1, 8, 1, 0)...))
	f.Fuzz(func(t *testing.T, in []byte) {
		ctx, cancel := context.WithTimeout(t.Context(), 20*time.Second)
		defer cancel()
		from := replay{Reader: strings.NewReader(string(in)), Writer: io.Discard}
		s, err := Open(ctx, from, from, Boot{})
		if err != nil {
			if ctx.Err() != nil {
				t.Fatal("hung")
			}
			return
		}
		j := job("pass")
		j.MaxOutput, j.MaxResult = 100, 100
		outcome, err := s.Run(ctx, j, (&recorder{}).handler())
		if ctx.Err() != nil {
			t.Fatal("hung")
		}
		if err == nil && outcome.Exited.Code == 0 && outcome.Exited.Signal != 0 {
			t.Fatalf("%+v", outcome)
		}
		s.Close()
	})
}

func FuzzResult(f *testing.F) {
	f.Add([]byte(`{"a":[1,"[[["]}`))
	f.Add([]byte(`"\"["`))
	f.Fuzz(func(t *testing.T, in []byte) {
		if len(in) > 1000 || checkResult(in) != nil {
			return
		}
		if strings.Count(string(in), "[") > 200+strings.Count(string(in), `"`)*1000 {
			t.Fatalf("accepted %.100q", in)
		}
	})
}

// TestTooManyStreamsAreNotJustReset: with a lower multiplexer backlog, a slow accept would leave a
// stream unanswered, without an error.
func TestTooManyStreamsAreNotJustReset(t *testing.T) {
	if backlog := wire.Mux(wire.GuestWindow).AcceptBacklog; backlog <= maxStreams {
		t.Errorf("the backlog of %d hides a box that opens more than %d streams", backlog, maxStreams)
	}
}
