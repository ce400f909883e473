package plugins

import (
	"bytes"
	"context"
	"errors"
	"io"
	"math"
	"net"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"
	plugin "github.com/hashicorp/go-plugin"
	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"

	"github.com/computclaw/airlock/plugins/proto"
)

type scripted struct {
	check func(context.Context, Config) (Report, error)
	run   func(context.Context, Spec, io.Reader, io.Writer) (Exit, error)
}

func (s scripted) Check(ctx context.Context, cfg Config) (Report, error) { return s.check(ctx, cfg) }
func (s scripted) Run(ctx context.Context, spec Spec, in io.Reader, out io.Writer) (Exit, error) {
	return s.run(ctx, spec, in, out)
}

func overGRPC(t *testing.T, s Sandbox) Sandbox {
	t.Helper()
	near, far := net.Pipe()
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = ServeConn(context.Background(), far, s)
	}()
	link, err := NewLink(near)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		link.Close()
		<-ended
	})
	return link
}

func TestCheckCarriesEverything(t *testing.T) {
	cfg := Config{
		Instance: "i", StateDir: "/s", Settings: map[string]string{"a": "b"},
		Limits: Limits{Memory: 1 << 40, CPU: 0.25, Pids: 3, Tmp: 4, Files: 5},
	}
	want := Report{
		Name: "n", Version: "v", Ready: true, Reason: "r", Tier: TierRestricted, Runtime: "d",
		Controls: []Control{{Name: "c", Proved: true, Detail: "d"}, {Name: "e", Detail: "f", Fix: "g"},
			{Name: "h", Detail: "i", NotApplicable: true}}, Images: map[string]string{"small": "sha256:1"},
		Enforced: map[string]string{"memory": "cgroup"}, Notes: []string{"Nothing can listen."},
	}
	seen := make(chan Config, 1)
	s := overGRPC(t, scripted{check: func(_ context.Context, c Config) (Report, error) {
		seen <- c
		return want, nil
	}})
	got, err := s.Check(t.Context(), cfg)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(cfg, <-seen); diff != "" {
		t.Error(diff)
	}
}

func TestRunCarriesEverything(t *testing.T) {
	spec := Spec{ID: "box-1", Limits: Limits{Memory: 1, CPU: 2, Pids: 3, Tmp: 4, Files: 5}, Runtime: "image"}
	want := Exit{Code: -1, Signal: 11, Reason: ReasonOOM, PeakMemory: 1 << 33, CPUTime: time.Hour, PidsHit: true,
		Diagnostic: "d"}
	seen := make(chan Spec, 1)
	s := overGRPC(t, scripted{run: func(_ context.Context, sp Spec, in io.Reader, out io.Writer) (Exit, error) {
		seen <- sp
		_, err := io.Copy(out, in)
		return want, err
	}})
	payload := strings.Repeat("0123456789", 300_000)
	var out bytes.Buffer
	got, err := s.Run(t.Context(), spec, strings.NewReader(payload), &out)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Error(diff)
	}
	if diff := cmp.Diff(spec, <-seen); diff != "" {
		t.Error(diff)
	}
	if out.String() != payload {
		t.Errorf("%d bytes came back of %d", out.Len(), len(payload))
	}
}

type metered struct {
	scripted
	usage func(id string) (Usage, error)
}

func (m metered) Usage(_ context.Context, id string) (Usage, error) { return m.usage(id) }

func TestUsageCarriesEverything(t *testing.T) {
	want := Usage{PeakMemory: 1 << 33, CPUTime: time.Hour + 1, LimitHit: true}
	s := overGRPC(t, metered{usage: func(id string) (Usage, error) {
		if id != "box-1" {
			return Usage{}, errors.New("no such box")
		}
		return want, nil
	}}).(Meter)
	got, err := s.Usage(t.Context(), "box-1")
	if diff := cmp.Diff(want, got); diff != "" || err != nil {
		t.Error(err, diff)
	}
	if _, err := s.Usage(t.Context(), "box-2"); err == nil || errors.Is(err, ErrLost) ||
		!strings.Contains(err.Error(), "no such box") {
		t.Errorf("error %v", err)
	}
}

func TestImpossibleNumbers(t *testing.T) {
	for said, want := range map[int64]int64{math.MinInt64: 0, -5: 0, 0: 0, 1 << 53: 1 << 53, 1<<53 + 1: 1 << 53,
		math.MaxInt64: 1 << 53} {
		s := overGRPC(t, metered{
			scripted: scripted{run: func(context.Context, Spec, io.Reader, io.Writer) (Exit, error) {
				return Exit{Reason: ReasonExit, PeakMemory: said, CPUTime: time.Duration(said)}, nil
			}},
			usage: func(string) (Usage, error) { return Usage{PeakMemory: said, CPUTime: time.Duration(said)}, nil },
		})
		exit, err := s.Run(t.Context(), Spec{ID: "a"}, strings.NewReader(""), io.Discard)
		if diff := cmp.Diff(Exit{Reason: ReasonExit, PeakMemory: want, CPUTime: time.Duration(want)},
			exit); err != nil ||
			diff != "" {
			t.Errorf("Exit of %d: %v %s", said, err, diff)
		}
		used, err := s.(Meter).Usage(t.Context(), "a")
		if diff := cmp.Diff(Usage{PeakMemory: want, CPUTime: time.Duration(want)}, used); err != nil || diff != "" {
			t.Errorf("Usage of %d: %v %s", said, err, diff)
		}
	}
}

func TestUsageOfABackendThatDoesNotMeasure(t *testing.T) {
	s := overGRPC(t, scripted{run: func(context.Context, Spec, io.Reader, io.Writer) (Exit, error) {
		return Exit{Code: 3, Reason: ReasonExit}, nil
	}})
	if _, err := s.(Meter).Usage(t.Context(), "a"); err == nil || errors.Is(err, ErrLost) {
		t.Errorf("error %v", err)
	}
	if exit, err := s.Run(t.Context(), Spec{ID: "a"}, strings.NewReader(""), io.Discard); err != nil || exit.Code != 3 {
		t.Errorf("Run = %+v, %v", exit, err)
	}
}

func TestErrors(t *testing.T) {
	tests := []struct {
		name string
		err  error
		lost bool
	}{
		{"backend's own", errors.New("the image is missing"), false},
		{"backend lost the box", ErrLost, true},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			s := overGRPC(t, scripted{run: func(context.Context, Spec, io.Reader, io.Writer) (Exit, error) {
				return Exit{},
					tt.err
			}})
			_, err := s.Run(t.Context(), Spec{ID: "a"}, strings.NewReader(""), io.Discard)
			if errors.Is(err, ErrLost) != tt.lost || err == nil || !strings.Contains(err.Error(), tt.err.Error()) {
				t.Errorf("error %v", err)
			}
		})
	}
}

func TestConnectionLost(t *testing.T) {
	started := make(chan struct{})
	client, server := plugin.TestPluginGRPCConn(t, false,
		map[string]plugin.Plugin{kind: &endpoint{server: newServerSide(scripted{
			run: func(ctx context.Context, _ Spec, _ io.Reader, _ io.Writer) (Exit, error) {
				close(started)
				<-ctx.Done() // the plugin's side hears of it too
				return Exit{}, ctx.Err()
			},
		})}})
	defer client.Close()
	raw, err := client.Dispense(kind)
	if err != nil {
		t.Fatal(err)
	}
	go func() {
		<-started
		server.Stop()
	}()
	if _, err := raw.(Sandbox).Run(t.Context(), Spec{ID: "a"}, strings.NewReader(""), io.Discard); !errors.Is(err,
		ErrLost) {
		t.Errorf("error %v, want ErrLost", err)
	}
}

// TestKillPassesStuckStreams has a guest that neither reads nor is read from.
func TestKillPassesStuckStreams(t *testing.T) {
	s := overGRPC(t, scripted{run: func(ctx context.Context, _ Spec, _ io.Reader, out io.Writer) (Exit, error) {
		go func() {
			for {
				if _, err := out.Write(make([]byte, Chunk)); err != nil {
					return
				}
			}
		}()
		<-ctx.Done()
		return Exit{Code: -1, Signal: 9, Reason: ReasonKilled}, nil
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 200*time.Millisecond)
	defer cancel()
	never, release := io.Pipe()
	defer release.Close()
	unread, blocked := io.Pipe()
	defer unread.Close()
	exit, err := s.Run(ctx, Spec{ID: "a"}, io.MultiReader(bytes.NewReader(make([]byte, 8<<20)), never), blocked)
	if err != nil || exit.Reason != ReasonKilled {
		t.Errorf("Run = %+v, %v, want killed", exit, err)
	}
}

func TestOneIDOneBox(t *testing.T) {
	gate := make(chan struct{})
	started := make(chan struct{}, 2)
	s := overGRPC(t, scripted{run: func(context.Context, Spec, io.Reader, io.Writer) (Exit, error) {
		started <- struct{}{}
		<-gate
		return Exit{Reason: ReasonExit}, nil
	}})
	first := make(chan error, 1)
	go func() {
		_, err := s.Run(t.Context(), Spec{ID: "a"}, strings.NewReader(""), io.Discard)
		first <- err
	}()
	<-started
	if _, err := s.Run(t.Context(), Spec{ID: "a"}, strings.NewReader(""), io.Discard); err == nil ||
		errors.Is(err, ErrLost) {
		t.Errorf("error %v, want a plain one", err)
	}
	close(gate)
	if err := <-first; err != nil {
		t.Error(err)
	}
}

func TestHoleM4CheckThatIsCutShort(t *testing.T) {
	var cleared atomic.Bool
	s := overGRPC(t, scripted{check: func(ctx context.Context, _ Config) (Report, error) {
		if deadline, ok := ctx.Deadline(); ok {
			t.Errorf("the deadline is %s", deadline)
		}
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond) // as long as that takes
		cleared.Store(true)
		return Report{}, ctx.Err()
	}})
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if _, err := s.Check(ctx, Config{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("the check ended with %v", err)
	}
	if !cleared.Load() {
		t.Error("it returned before the other side had cleared away")
	}
	cleared.Store(false)
	if _, err := s.Check(ctx, Config{}); !errors.Is(err, context.DeadlineExceeded) || cleared.Load() {
		t.Errorf("a check that nobody waits for was begun, and ended with %v", err)
	}
}

func TestHoleM4PluginEndsItsChecks(t *testing.T) {
	started := make(chan struct{})
	var cleared atomic.Bool
	side := newServerSide(scripted{check: func(ctx context.Context, _ Config) (Report, error) {
		close(started)
		<-ctx.Done()
		time.Sleep(50 * time.Millisecond)
		cleared.Store(true)
		return Report{}, ctx.Err()
	}})
	done := make(chan error, 1)
	go func() {
		_, err := side.Check(t.Context(), &proto.CheckRequest{})
		done <- err
	}()
	<-started
	side.killAll()
	if !cleared.Load() {
		t.Error("the plugin ended before its check had cleared away")
	}
	if err := <-done; err == nil {
		t.Error("the check passed")
	}
	if _, err := side.Check(t.Context(), &proto.CheckRequest{}); status.Code(err) != codes.Unavailable {
		t.Errorf("a check of a plugin that has ended: %v", err)
	}
}

// older is a plugin that is built with a library from before checks had ids.
type older struct{ *serverSide }

func (o older) Check(ctx context.Context, r *proto.CheckRequest) (*proto.CheckResponse, error) {
	r.Id = ""
	return o.serverSide.Check(ctx, r)
}

// TestCheckOfAnOlderPluginIsCutShort: it can't be told to end a check, so its call is torn down.
func TestCheckOfAnOlderPluginIsCutShort(t *testing.T) {
	began, ended := make(chan struct{}), make(chan struct{})
	side := newServerSide(scripted{check: func(ctx context.Context, _ Config) (Report, error) {
		close(began)
		<-ctx.Done()
		close(ended)
		return Report{}, ctx.Err()
	}})
	server := newServer(nil)
	proto.RegisterSandboxServer(server, older{side})
	near, far := net.Pipe()
	served := make(chan struct{})
	go func() {
		defer close(served)
		_ = server.Serve(&oneConn{conn: &watchedConn{Conn: far, closed: make(chan struct{})},
			rest: make(chan struct{})})
	}()
	link, err := NewLink(near)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		link.Close()
		server.Stop()
		<-served
	}()
	ctx, cancel := context.WithCancel(t.Context())
	go func() {
		<-began
		cancel()
	}()
	start := time.Now()
	if _, err := link.Check(ctx, Config{}); !errors.Is(err, context.Canceled) {
		t.Errorf("the check ended with %v", err)
	}
	if took := time.Since(start); took > killTime/2 {
		t.Errorf("it took %s", took)
	}
	<-ended
}
