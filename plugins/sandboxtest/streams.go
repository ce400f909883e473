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
	receive(t, "box", up, patience)
	end()
	if exit := receive(t, "exit", done, patience); exit.Code != codeEOF || exit.Reason != plugins.ReasonExit {
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
	r := receive(t, "exit", done, patience)
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
	awaitBox(t, up, done)
	if len(processesWith(mark)) == 0 {
		t.Fatal("the suite can't see the box's processes")
	}
	cancel()
	wantKilled(t, receive(t, "exit", done, patience))
	noneWith(t, mark, 0)
}

func wantKilled(t *testing.T, r result) {
	t.Helper()
	if r.err != nil || r.Reason != plugins.ReasonKilled {
		t.Errorf("Run = %+v, error %v, want killed", r.Exit, r.err)
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
	awaitBox(t, up, done)
	time.Sleep(300 * time.Millisecond) // until every buffer on the way is full
	cancel()
	wantKilled(t, receive(t, "exit", done, patience))
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
	awaitProcess(t, mark, done)
	time.Sleep(300 * time.Millisecond) // as above
	cancel()
	wantKilled(t, receive(t, "exit", done, patience))
	noneWith(t, mark, 0)
}

var errFull = errors.New("full")

type failing struct{}

func (failing) Write([]byte) (int, error) { return 0, errFull }

func failingStdout(t *testing.T, b *bench) {
	mark := token()
	r := receive(t, "exit", b.start(t.Context(), plugins.Spec{}, sleeper(mark), failing{}), patience)
	if !errors.Is(r.err, errFull) {
		t.Errorf("error %v, want the writer's", r.err)
	}
	noneWith(t, mark, 0)
}
