package pipe

import (
	"bytes"
	"fmt"
	"io"
	"testing"
)

// stepReader gives one piece after the other, each when it is asked for.
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
