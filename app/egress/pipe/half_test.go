package pipe

import (
	"bytes"
	"fmt"
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
	held, err := h.waitFilled()
	if err != nil || len(held) != 96+10 || len(h.ring) != smallest {
		t.Fatalf("holds %d bytes of a ring of %d, %v", len(held), len(h.ring), err)
	}
	large := bytes.Repeat([]byte("large "), 20_000)
	if n, err := h.Write(large); n != len(large) || err != nil {
		t.Fatal(n, err)
	}
	got := bytes.Clone(held)
	h.consume(len(held))
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

type stepReader struct{ pieces chan []byte }

func (s stepReader) Read(p []byte) (int, error) {
	piece, ok := <-s.pieces
	if !ok {
		return 0, io.EOF
	}
	return copy(p, piece), nil
}

// A writer that waits for its source holds a part of the buffer meanwhile. It must still be the
// right one when everything before it was read.
func TestBytesStayInOrderWhileAReadFromWaits(t *testing.T) {
	h := newHalf()
	source := stepReader{make(chan []byte)}
	done := make(chan error, 1)
	go func() { _, err := h.ReadFrom(source); done <- err }()
	for n := range 100 {
		want := bytes.Repeat(fmt.Appendf(nil, "%03d", n), 100)
		source.pieces <- want
		got := make([]byte, len(want))
		if _, err := io.ReadFull(h, got); err != nil || !bytes.Equal(got, want) {
			t.Fatalf("piece %d: %.20q, %v", n, got, err)
		}
	}
	close(source.pieces)
	if err := <-done; err != nil {
		t.Fatal(err)
	}
}
