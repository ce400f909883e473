package pipe

import (
	"bytes"
	"io"
	"testing"
)

// What passed in small pieces leaves no buffer for large ones.
func TestBufferFollowsThePieces(t *testing.T) {
	h := newHalf()
	for range 1000 {
		_, _ = h.Write(make([]byte, 300))
		_, _ = io.ReadFull(h, make([]byte, 300))
	}
	if got := len(h.ring); got != smallest {
		t.Errorf("messages of 300 bytes have a buffer of %d", got)
	}
	_, _ = h.Write(make([]byte, BufferSize))
	if got := len(h.ring); got != BufferSize {
		t.Errorf("a large message has a buffer of %d", got)
	}
}

// A reader may hold a part of the buffer, which wraps around its end, while a writer makes it
// larger.
func TestBytesStayInOrderWhileTheBufferGrows(t *testing.T) {
	h := newHalf()
	_, _ = h.Write(make([]byte, 400))
	for range 9 {
		_, _ = h.Write(make([]byte, 400))
		_, _ = io.ReadFull(h, make([]byte, 400))
	}
	_, _ = io.ReadFull(h, make([]byte, 390))
	around := bytes.Repeat([]byte("0123456789"), 49) // from 4000, in a ring of 4096
	_, _ = h.Write(around)
	held, err := h.filled()
	if err != nil || len(held) != 96+10 || len(h.ring) != smallest {
		t.Fatalf("holds %d bytes of a ring of %d, %v", len(held), len(h.ring), err)
	}
	large := bytes.Repeat([]byte("large "), 20_000)
	if n, err := h.Write(large); n != len(large) || err != nil {
		t.Fatal(n, err)
	}
	got := bytes.Clone(held)
	h.consumed(len(held))
	h.finish()
	rest, err := io.ReadAll(h)
	want := append(append(make([]byte, 10), around...), large...)
	if got = append(got, rest...); err != nil || !bytes.Equal(got, want) {
		t.Errorf("%d bytes, want %d, or others; %v", len(got), len(want), err)
	}
}

// Wait returns once there is something to read, and at the end.
func TestWait(t *testing.T) {
	a, b := New()
	waited := make(chan bool)
	go func() {
		for range 2 {
			b.Wait()
			waited <- true
		}
	}()
	select {
	case <-waited:
		t.Error("nothing had been written")
	default:
	}
	_, _ = a.Write([]byte("x"))
	<-waited
	_, _ = b.Read(make([]byte, 1))
	_ = a.Close()
	<-waited
}
