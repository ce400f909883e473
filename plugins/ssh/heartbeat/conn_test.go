package heartbeat

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"net"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"
)

// pair returns two connected sides over pipes that hold back like real ones.
func pair(t *testing.T, beat, silence time.Duration) (a, b *Conn) {
	t.Helper()
	left, right := net.Pipe()
	a, b = start(left, left, left.Close, beat, silence), start(right, right, right.Close, beat, silence)
	t.Cleanup(func() { a.Close(); b.Close() })
	return a, b
}

func TestBytesArriveInOrder(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		a, b := pair(t, time.Millisecond, time.Minute)
		var want []byte
		chunks := rapid.SliceOfN(rapid.IntRange(1, 3*MaxFrame), 1, 5).Draw(rt, "chunks")
		for i, n := range chunks {
			want = append(want, bytes.Repeat([]byte{byte(i + 1)}, n)...)
		}
		go func() {
			rest := want
			for _, n := range chunks {
				if _, err := a.Write(rest[:n]); err != nil {
					return
				}
				rest = rest[n:]
			}
			a.Close()
		}()
		go io.Copy(io.Discard, a) // hears b's beats
		got, _ := io.ReadAll(b)
		if !bytes.Equal(got, want) {
			rt.Fatalf("%d bytes arrived, %d were sent, or they differ", len(got), len(want))
		}
	})
}

func TestSilenceEndsTheLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := net.Pipe() // nobody writes to w
		defer w.Close()
		c := New(r, io.Discard, r.Close)
		begin := time.Now()
		if _, err := c.Read(make([]byte, 1)); !errors.Is(err, ErrSilent) {
			t.Errorf("error %v, want ErrSilent", err)
		}
		if took := time.Since(begin); took != Silence {
			t.Errorf("noticed after %s", took)
		}
		if !errors.Is(c.Err(), ErrSilent) {
			t.Errorf("Err() = %v", c.Err())
		}
	})
}

func TestBeatsKeepAnIdleLink(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		a, b := pair(t, Beat, Silence)
		for _, c := range []*Conn{a, b} {
			go io.Copy(io.Discard, c)
		}
		time.Sleep(20 * Silence)
		if a.Err() != nil || b.Err() != nil {
			t.Errorf("an idle link ended: %v, %v", a.Err(), b.Err())
		}
	})
}

func TestSlowBytesAreLife(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		r, w := net.Pipe()
		c := New(r, io.Discard, r.Close)
		defer c.Close()
		go func() {
			frame := append(binary.BigEndian.AppendUint32(nil, 20), bytes.Repeat([]byte("x"), 20)...)
			for i := range frame {
				time.Sleep(Silence - time.Second)
				if _, err := w.Write(frame[i : i+1]); err != nil {
					return
				}
			}
		}()
		if _, err := io.ReadFull(c, make([]byte, 20)); err != nil {
			t.Error(err)
		}
	})
}

func TestEndOfStream(t *testing.T) {
	c := New(bytes.NewReader(nil), io.Discard, func() error { return nil })
	if _, err := c.Read(make([]byte, 1)); !errors.Is(err, io.EOF) {
		t.Errorf("error %v, want the end", err)
	}
}

func FuzzRead(f *testing.F) {
	f.Add([]byte{0, 0, 0, 0, 0, 0, 0, 1, 'x'})
	f.Add([]byte{0, 1, 0, 1})
	f.Add([]byte{0xff, 0xff, 0xff, 0xff})
	f.Fuzz(func(t *testing.T, in []byte) {
		c := New(bytes.NewReader(in), io.Discard, func() error { return nil })
		out, err := io.ReadAll(c)
		if len(out) > len(in) {
			t.Fatalf("%d bytes out of %d", len(out), len(in))
		}
		if err != nil && !errors.Is(err, ErrFrame) && !errors.Is(err, io.ErrUnexpectedEOF) {
			t.Fatal(err)
		}
		if c.Err() == nil {
			t.Fatal("the connection has not ended")
		}
	})
}
