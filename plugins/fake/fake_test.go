package fake

import (
	"bytes"
	"context"
	"errors"
	"io"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/computclaw/airlock/plugins"
	"github.com/google/go-cmp/cmp"
)

func TestGuests(t *testing.T) {
	echo := func(_ context.Context, _ plugins.Spec, in io.Reader, out io.Writer) (plugins.Exit, error) {
		_, err := io.Copy(out, in)
		return plugins.Exit{Reason: plugins.ReasonExit}, err
	}
	tests := []struct {
		name  string
		guest Guest
		want  plugins.Exit
		out   string
		err   error
	}{
		{name: "exit", guest: Exit(7), want: plugins.Exit{Code: 7, Reason: plugins.ReasonExit}},
		{name: "oom", guest: OOM(), want: plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonOOM, PeakMemory: 5}},
		{name: "lost", guest: LoseBox(), err: plugins.ErrLost},
		{name: "echo", guest: echo, want: plugins.Exit{Reason: plugins.ReasonExit}, out: "hello"},
		{name: "garbage", guest: Garbage([]byte("\x00\xff"), echo), want: plugins.Exit{Reason: plugins.ReasonExit},
			out: "\x00\xffhello"},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			var out bytes.Buffer
			spec := plugins.Spec{ID: "a", Limits: plugins.Limits{Memory: 5}}
			got, err := New(t, tt.guest).Run(t.Context(), spec, strings.NewReader("hello"), &out)
			if !errors.Is(err, tt.err) {
				t.Fatalf("error %v, want %v", err, tt.err)
			}
			if diff := cmp.Diff(tt.want, got); diff != "" {
				t.Error(diff)
			}
			if out.String() != tt.out {
				t.Errorf("output %q, want %q", out.String(), tt.out)
			}
		})
	}
}

func TestContextKills(t *testing.T) {
	block := func(_ context.Context, _ plugins.Spec, in io.Reader, out io.Writer) (plugins.Exit, error) {
		_, err := io.Copy(out, in) // doesn't look at its context
		return plugins.Exit{}, err
	}
	for name, guest := range map[string]Guest{"hang": Hang(), "blocked on stdin": block, "gated": After(nil, Exit(0))} {
		t.Run(name, func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) {
				ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
				defer cancel()
				never, w := io.Pipe()
				got, err := New(t, guest).Run(ctx, plugins.Spec{ID: "a"}, never, io.Discard)
				w.Close()
				if err != nil || got.Reason != plugins.ReasonKilled {
					t.Errorf("Run = %+v, %v, want killed", got, err)
				}
			})
		})
	}
}

func TestInTurn(t *testing.T) {
	b := New(t, InTurn(Exit(1), Exit(2), Exit(3)))
	var got []int
	for range 4 {
		e, err := b.Run(t.Context(), plugins.Spec{ID: "a"}, strings.NewReader(""), io.Discard)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, e.Code)
	}
	if diff := cmp.Diff([]int{1, 2, 3, 3}, got); diff != "" {
		t.Error(diff)
	}
	if now, peak := b.Open(); now != 0 || peak != 1 {
		t.Errorf("Open() = %d, %d, want 0, 1", now, peak)
	}
}
