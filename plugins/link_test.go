package plugins

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"strings"
	"testing"
	"time"
)

// far is a backend on another machine: its boxes echo, or wait for their end.
type far struct{ ended chan error }

func (f *far) Check(_ context.Context, cfg Config) (Report, error) {
	return Report{Name: "far", Ready: true, Runtime: cfg.Instance}, nil
}

func (f *far) Run(ctx context.Context, spec Spec, in io.Reader, out io.Writer) (Exit, error) {
	if spec.ID == "wait" {
		if _, err := out.Write([]byte("up")); err != nil {
			return Exit{}, err
		}
		<-ctx.Done()
		f.ended <- ctx.Err()
		return Exit{Reason: ReasonKilled}, nil
	}
	_, err := io.Copy(out, in)
	return Exit{Reason: ReasonExit, Code: 7}, err
}

// linked returns both ends of a link and what the far end's ServeConn returns.
func linked(ctx context.Context, t *testing.T, impl Sandbox) (*Link, net.Conn, <-chan error) {
	t.Helper()
	near, other := net.Pipe()
	served := make(chan error, 1)
	go func() { served <- ServeConn(ctx, other, impl) }()
	l, err := NewLink(near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		l.Close()
		near.Close()
	})
	return l, near, served
}

func soon[T any](t *testing.T, what string, ch <-chan T) T {
	t.Helper()
	select {
	case v := <-ch:
		return v
	case <-time.After(10 * time.Second):
		t.Fatalf("%s: nothing", what)
		panic("unreachable")
	}
}

func TestLinkCarriesCalls(t *testing.T) {
	l, _, _ := linked(t.Context(), t, &far{})
	if r, err := l.Check(t.Context(), Config{Instance: "x"}); err != nil || r.Runtime != "x" {
		t.Errorf("%+v, %v", r, err)
	}
	want := strings.Repeat("0123456789", 300_000)
	var out bytes.Buffer
	exit, err := l.Run(t.Context(), Spec{ID: "echo"}, strings.NewReader(want), &out)
	if err != nil || exit.Code != 7 || out.String() != want {
		t.Errorf("%+v, %v, %d bytes of %d", exit, err, out.Len(), len(want))
	}
}

func TestBrokenLinkEndsBothSides(t *testing.T) {
	f := &far{ended: make(chan error, 1)}
	l, conn, served := linked(t.Context(), t, f)
	done := waiting(t, l, "wait")
	conn.Close()
	if err := soon(t, "Run", done); !errors.Is(err, ErrLost) {
		t.Errorf("error %v, want ErrLost", err)
	}
	soon(t, "the box", f.ended)
	if err := soon(t, "ServeConn", served); err != nil {
		t.Errorf("ServeConn: %v", err)
	}
	if _, err := l.Check(t.Context(), Config{}); !errors.Is(err, ErrLost) {
		t.Errorf("a broken link answered: %v", err)
	}
}

func TestServeConnObeysItsContext(t *testing.T) {
	f := &far{ended: make(chan error, 1)}
	ctx, cancel := context.WithCancel(t.Context())
	l, _, served := linked(ctx, t, f)
	done := waiting(t, l, "wait")
	cancel()
	soon(t, "the box", f.ended)
	if err := soon(t, "ServeConn", served); !errors.Is(err, context.Canceled) {
		t.Errorf("ServeConn: %v", err)
	}
	if err := soon(t, "Run", done); !errors.Is(err, ErrLost) {
		t.Errorf("error %v, want ErrLost", err)
	}
}

// lostBackend has lost its boxes itself.
type lostBackend struct {
	far
	how error
}

func (b *lostBackend) Run(context.Context, Spec, io.Reader, io.Writer) (Exit, error) {
	return Exit{}, fmt.Errorf("%w: the cable", b.how)
}

func TestLossIsToldOnce(t *testing.T) {
	for _, how := range []error{ErrLost, ErrCut} {
		l, _, _ := linked(t.Context(), t, &lostBackend{how: how})
		_, err := l.Run(t.Context(), Spec{ID: "x"}, strings.NewReader(""), io.Discard)
		if !errors.Is(err, how) || !errors.Is(err, ErrLost) || err.Error() != how.Error()+": the cable" {
			t.Errorf("error %q", err)
		}
		if errors.Is(err, ErrCut) != (how == ErrCut) {
			t.Errorf("%q: whether the link was cut is told wrongly", err)
		}
	}
}
