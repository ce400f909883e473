package sandboxtest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io"
	"sync"
	"testing"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// testCase is one row of the suite.
type testCase struct {
	name string
	test func(t *testing.T, b *bench)
}

func cases() []testCase {
	return []testCase{
		{"exit codes", exitCodes},
		{"stdin to stdout", echo},
		{"end of stdin ends the guest", endOfStdin},
		{"big output", bigOutput},
		{"guest blocks while stdout is not read", backPressure},
		{"context kills", contextKills},
		{"context kills behind unread stdin", killBehindStdin},
		{"context kills behind unread stdout", killBehindStdout},
		{"failing stdout ends the box", failingStdout},
		{"grandchildren die with the guest", grandchildren},
		{"memory limit", memoryLimit},
		{"memory of many processes", memoryOfMany},
		{"fork bomb", forkBomb},
		{"busy loop is killed", busyLoop},
		{"hostile scripts", hostile},
		{"next box is fresh", nextBoxIsFresh},
		{"boxes do not see each other", neighbours},
		{"bad specs", badSpecs},
		{"many at once", manyAtOnce},
		{"descriptors do not leak", descriptorsDoNotLeak},
		{"plugin killed", pluginKilled},
		{"host killed", hostKilled},
	}
}

func exitCodes(t *testing.T, b *bench) {
	for _, code := range []int{0, 1, 2, 42, 99, 124, 126, 127, 128, 129, 137, 139, 143, 254, 255} {
		r := b.run(t, plugins.Spec{}, Order{Exit: &code})
		if r.Code != code || r.Signal != 0 || r.Reason != plugins.ReasonExit {
			t.Errorf("exit code %d came back as %+v", code, r.Exit)
		}
	}
	r := b.run(t, plugins.Spec{}, python("print(sum(range(10**6)))"))
	if r.Code != 0 || r.out != "499999500000\n" || r.CPUTime <= 0 || r.PeakMemory <= 0 {
		t.Errorf("python: %+v, output %q", r.Exit, r.out)
	}
}

func echo(t *testing.T, b *bench) {
	payload := bytes.Repeat([]byte("0123456789abcdef\x00\n"), 8<<20/18)
	stdin := io.MultiReader(bytes.NewReader([]byte("{\"echo\":true}\n")), bytes.NewReader(payload))
	var out bytes.Buffer
	exit, err := b.sandbox.Run(t.Context(), plugins.Spec{ID: "echo-" + token(), Limits: limits()}, stdin, &out)
	if err != nil || exit.Code != 0 || exit.Reason != plugins.ReasonExit {
		t.Fatalf("Run = %+v, %v", exit, err)
	}
	if !bytes.Equal(out.Bytes(), payload) {
		t.Errorf("got %d bytes back that differ from the %d sent", out.Len(), len(payload))
	}
}

func endOfStdin(t *testing.T, b *bench) {
	stdout, up := awaitUp()
	mark := token()
	stdin, end := order(sleeper(mark))
	done := make(chan plugins.Exit, 1)
	go func() {
		exit, err := b.sandbox.Run(t.Context(), plugins.Spec{ID: "eof-" + mark, Limits: limits()}, stdin, stdout)
		if err != nil {
			t.Error(err)
		}
		done <- exit
	}()
	receive(t, "box", up, 20*time.Second)
	end()
	if exit := receive(t, "exit", done, 10*time.Second); exit.Code != codeEOF || exit.Reason != plugins.ReasonExit {
		t.Errorf("exit = %+v, want code %d", exit, codeEOF)
	}
	noneWith(t, mark, 0)
}

const bigSize = 64 << 20

// bigScript writes bigSize bytes: numbers, so that a lost or doubled piece shows.
const bigScript = `
import sys
out = sys.stdout.buffer
for i in range(64 << 20 >> 13):
    out.write(b"%08d" % i * 1024)
`

func bigOutput(t *testing.T, b *bench) {
	want := sha256.New()
	for i := range bigSize >> 13 {
		want.Write(bytes.Repeat(fmt.Appendf(nil, "%08d", i), 1024))
	}
	got := sha256.New()
	begin := time.Now()
	r := <-b.start(t.Context(), plugins.Spec{}, python(bigScript), got)
	if r.err != nil || r.Code != 0 {
		t.Fatalf("Run = %+v", r)
	}
	t.Logf("%.0f MiB/s", bigSize/float64(1<<20)/time.Since(begin).Seconds())
	if !bytes.Equal(got.Sum(nil), want.Sum(nil)) {
		t.Error("output differs")
	}
}

// gated blocks every write until it's opened.
type gated struct {
	gate chan struct{}
	once sync.Once
	mu   sync.Mutex
	n    int
}

func (g *gated) Write(p []byte) (int, error) {
	<-g.gate
	g.mu.Lock()
	defer g.mu.Unlock()
	g.n += len(p)
	return len(p), nil
}

func (g *gated) open() { g.once.Do(func() { close(g.gate) }) }

func backPressure(t *testing.T, b *bench) {
	out := &gated{gate: make(chan struct{})}
	defer out.open()
	done := b.start(t.Context(), plugins.Spec{}, python(bigScript), out)
	select {
	case r := <-done:
		t.Fatalf("the guest wrote %d bytes that nobody read: %+v", bigSize, r)
	case <-time.After(time.Second):
	}
	out.open()
	r := receive(t, "exit", done, time.Minute)
	if r.err != nil || r.Code != 0 || out.n != bigSize {
		t.Errorf("%d bytes, %+v", out.n, r)
	}
}

func contextKills(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, up := awaitUp()
	mark := token()
	done := b.start(ctx, plugins.Spec{}, sleeper(mark), stdout)
	receive(t, "box", up, 20*time.Second)
	if len(processesWith(mark)) == 0 {
		t.Fatal("the suite can't see the box's processes")
	}
	cancel()
	wantKilled(t, receive(t, "exit", done, 5*time.Second))
	noneWith(t, mark, 0)
}

func wantKilled(t *testing.T, r result) {
	t.Helper()
	if r.err != nil || r.Reason != plugins.ReasonKilled {
		t.Errorf("Run = %+v, want killed", r)
	}
}

func killBehindStdin(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, up := awaitUp()
	mark := token()
	stdin := io.MultiReader(bytes.NewReader(mustLine(sleeper(mark))), endless{})
	done := make(chan result, 1)
	go func() {
		exit, err := b.sandbox.Run(ctx, plugins.Spec{ID: "full-" + mark, Limits: limits()}, stdin, stdout)
		done <- result{Exit: exit, err: err}
	}()
	receive(t, "box", up, 20*time.Second)
	time.Sleep(300 * time.Millisecond) // until every buffer on the way is full
	cancel()
	wantKilled(t, receive(t, "exit", done, 5*time.Second))
	noneWith(t, mark, 0)
}

// endless never stops.
type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

func killBehindStdout(t *testing.T, b *bench) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	out := &gated{gate: make(chan struct{})}
	defer out.open()
	mark := token()
	done := b.start(ctx, plugins.Spec{}, python("while True: print('x' * 1000)", mark), out)
	eventually(t, 20*time.Second, func() []string {
		if len(processesWith(mark)) == 0 {
			return []string{"not started"}
		}
		return nil
	})
	time.Sleep(300 * time.Millisecond) // as above
	cancel()
	wantKilled(t, receive(t, "exit", done, 5*time.Second))
	noneWith(t, mark, 0)
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func failingStdout(t *testing.T, b *bench) {
	mark := token()
	r := receive(t, "exit", b.start(t.Context(), plugins.Spec{}, sleeper(mark), failing{}), 20*time.Second)
	if !errors.Is(r.err, errFull) {
		t.Errorf("error %v, want the writer's", r.err)
	}
	noneWith(t, mark, 0)
}

func grandchildren(t *testing.T, b *bench) {
	const code = `
import os, signal, sys, time
for depth in range(3):  # a daemon, a daemon's daemon, and one that hears nothing
    if os.fork() == 0:
        os.setsid()
        if os.fork() == 0:
            for s in range(1, 65):
                try: signal.signal(s, signal.SIG_IGN)
                except (OSError, ValueError): pass
            time.sleep(10000)
        os._exit(0)
print('left')
`
	mark := token()
	r := b.run(t, plugins.Spec{}, python(code, mark))
	if r.Code != 0 || r.out != "left\n" {
		t.Errorf("Run = %+v, output %q", r.Exit, r.out)
	}
	noneWith(t, mark, 0)
}

func nextBoxIsFresh(t *testing.T, b *bench) {
	const leave = `
import os
for d in ("/tmp", "/dev/shm", "/var/tmp"):
    try: open(d + "/left-behind", "w").write("x")
    except OSError: pass
path = "/tmp"
for i in range(300):  # a tree that is hard to clear away
    path += "/" + "d\n" * 60
    try: os.mkdir(path)
    except OSError: break
print(os.listdir("/tmp") != [])
`
	if r := b.run(t, plugins.Spec{}, python(leave)); r.out != "True\n" {
		t.Fatalf("nothing could be left: %q", r.out)
	}
	const look = `
import os
print([f for d in ("/tmp", "/dev/shm") for f in os.listdir(d)])
`
	if r := b.run(t, plugins.Spec{}, python(look)); r.out != "[]\n" {
		t.Errorf("a later box found %s", r.out)
	}
}

func neighbours(t *testing.T, b *bench) {
	const listen = `
import socket, time
l = []
for family, address in ((socket.AF_INET, ("0.0.0.0", 8765)), (socket.AF_UNIX, "\0airlock-test")):
    s = socket.socket(family); s.bind(address); s.listen(); l.append(s)
print("up", flush=True); time.sleep(1000)
`
	const connect = `
import socket
for family, address in ((socket.AF_INET, ("127.0.0.1", 8765)), (socket.AF_UNIX, "\0airlock-test")):
    try:
        socket.socket(family).connect(address); print("connected", address)
    except OSError as e: print(e.strerror)
`
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, up := awaitUp()
	done := b.start(ctx, plugins.Spec{}, python(listen), stdout)
	receive(t, "listener", up, 20*time.Second)
	r := b.run(t, plugins.Spec{}, python(connect))
	if want := "Connection refused\nConnection refused\n"; r.out != want {
		t.Errorf("a box reached another: %q", r.out)
	}
	cancel()
	wantKilled(t, <-done)
}

func badSpecs(t *testing.T, b *bench) {
	for name, spec := range map[string]plugins.Spec{
		"no id":            {},
		"path in id":       {ID: "../x"},
		"no memory":        {ID: "a", Limits: plugins.Limits{Memory: 1}},
		"negative memory":  {ID: "a", Limits: plugins.Limits{Memory: -1}},
		"negative pids":    {ID: "a", Limits: plugins.Limits{Pids: -1}},
		"negative cpu":     {ID: "a", Limits: plugins.Limits{CPU: -1}},
		"no such runtime":  {ID: "a", Runtime: "/nonexistent"},
		"relative runtime": {ID: "a", Runtime: "../.."},
	} {
		stdin, end := order(Order{Echo: true})
		_, err := b.sandbox.Run(t.Context(), spec, stdin, io.Discard)
		end()
		if err == nil {
			t.Errorf("%s: no error", name)
		}
		if errors.Is(err, plugins.ErrLost) {
			t.Errorf("%s: %v, want the backend's own words", name, err)
		}
	}
	spec := plugins.Spec{ID: "twice-" + token(), Limits: limits()}
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	stdout, up := awaitUp()
	done := b.start(ctx, spec, sleeper(token()), stdout)
	receive(t, "box", up, 20*time.Second)
	if r := <-b.start(t.Context(), spec, Order{Echo: true}, io.Discard); r.err == nil {
		t.Error("two boxes with one id")
	}
	cancel()
	wantKilled(t, <-done)
}

func manyAtOnce(t *testing.T, b *bench) {
	const count = 24
	var wg sync.WaitGroup
	for i := range count {
		wg.Go(func() {
			want := fmt.Sprintf("%d\n", i*i)
			r := b.run(t, plugins.Spec{}, python(fmt.Sprintf("import time; time.sleep(0.2); print(%d * %d)", i, i)))
			if r.Code != 0 || r.out != want {
				t.Errorf("box %d: %+v, output %q", i, r.Exit, r.out)
			}
		})
	}
	wg.Wait()
}

func descriptorsDoNotLeak(t *testing.T, b *bench) {
	code := 0
	b.run(t, plugins.Spec{}, Order{Exit: &code})
	before := b.descriptors(t)
	for range 20 {
		b.run(t, plugins.Spec{}, Order{Exit: &code})
	}
	eventually(t, 5*time.Second, func() []string {
		if after := b.descriptors(t); after > before+2 {
			return []string{fmt.Sprintf("%d descriptors before, %d after", before, after)}
		}
		return nil
	})
}
