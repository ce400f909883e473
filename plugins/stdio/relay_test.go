package stdio

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"testing/iotest"
	"testing/synctest"
)

func TestTailKeepsTheEnd(t *testing.T) {
	var kept Tail
	for range 100 {
		_, _ = kept.Write([]byte(strings.Repeat("a", 1000)))
	}
	_, _ = kept.Write([]byte(strings.Repeat("b", 3000) + "\xff\n"))
	if s := kept.String(); len(s) > maxDiagnostic+2 || !strings.HasSuffix(s, "b\uFFFD") || !strings.HasPrefix(s, "a") {
		t.Errorf("kept %d bytes, %q…%q", len(s), s[:3], s[len(s)-4:])
	}
}

func TestLastOf(t *testing.T) {
	long := strings.Repeat("x", 10_000) + "end"
	if got := LastOf(strings.NewReader(long)); len(got) != maxDiagnostic || !strings.HasSuffix(got, "xend") {
		t.Errorf("%d bytes ending %q", len(got), got[len(got)-4:])
	}
	if got := LastOf(strings.NewReader("bad \xff bytes\n")); got != "bad \uFFFD bytes" {
		t.Errorf("%q", got)
	}
}

func TestAnswerIsBounded(t *testing.T) {
	var a Answer
	for range maxAnswer + 5 {
		if n, err := a.Write([]byte("x")); n != 1 || err != nil {
			t.Fatal(n, err)
		}
	}
	if len(a.Bytes()) != maxAnswer {
		t.Errorf("%d bytes", len(a.Bytes()))
	}
}

func TestRelay(t *testing.T) {
	broken := errors.New("broken")
	text := strings.Repeat("0123456789", 50_000)
	var out bytes.Buffer
	if err := Relay(&out, iotest.HalfReader(strings.NewReader(text))); err != nil || out.String() != text {
		t.Errorf("%d bytes of %d, %v", out.Len(), len(text), err)
	}
	if err := Relay(&out, iotest.ErrReader(broken)); !errors.Is(err, broken) {
		t.Errorf("a source that breaks: %v", err)
	}
	if err := Relay(failing{broken}, strings.NewReader("x")); !errors.Is(err, broken) {
		t.Errorf("a destination that breaks: %v", err)
	}
}

type failing struct{ err error }

func (w failing) Write([]byte) (int, error) { return 0, w.err }

func TestFlush(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		broken := errors.New("broken")
		output := make(chan error, 1)
		output <- broken
		if err := Flush(t.Context(), output); !errors.Is(err, broken) {
			t.Errorf("%v", err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if err := Flush(ctx, output); err != nil {
			t.Errorf("%v", err)
		}
	})
}
