package ssh

import (
	"context"
	"io"
	"net"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/computclaw/airlock/plugins"
)

// far is a machine's backend that has measured every box and runs none.
type far struct{ used plugins.Usage }

func (far) Check(context.Context, plugins.Config) (plugins.Report, error) {
	return plugins.Report{}, nil
}

func (far) Run(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
	return plugins.Exit{}, nil
}

func (f far) Usage(context.Context, string) (plugins.Usage, error) { return f.used, nil }

// TestUsageDoesNotWaitForACheck: a proof takes seconds, and meanwhile scripts end.
func TestUsageDoesNotWaitForACheck(t *testing.T) {
	want := plugins.Usage{PeakMemory: 7, CPUTime: time.Second}
	near, other := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = plugins.ServeConn(context.Background(), other, far{want})
	}()
	over, err := plugins.NewLink(near)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		over.Close()
		near.Close()
		<-served
	}()
	b := New()
	b.link.Store(&link{Link: over})
	if err := b.enter(t.Context()); err != nil { // as a Check does, until it returns
		t.Fatal(err)
	}
	defer b.leave()
	ctx, cancel := context.WithTimeout(t.Context(), 10*time.Second)
	defer cancel()
	got, err := b.Usage(ctx, "a")
	if diff := cmp.Diff(want, got); err != nil || diff != "" {
		t.Error(err, diff)
	}
}
