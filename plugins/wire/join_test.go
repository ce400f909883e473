package wire

import (
	"bytes"
	"errors"
	"io"
	"net"
	"sync/atomic"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/hashicorp/yamux"
)

type writes struct{ list []string }

func (w *writes) Write(p []byte) (int, error) {
	w.list = append(w.list, string(p))
	return len(p), nil
}

func TestJoined(t *testing.T) {
	data := "\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x03"
	window := "\x00\x01\x00\x00\x00\x00\x00\x02\x00\x00\x00\x03"
	end := "\x00\x00\x00\x04\x00\x00\x00\x02\x00\x00\x00\x00"
	var got writes
	w := JoinFrames(&got)
	for _, p := range []string{window, data, "abc", end, data, window[:3], window, data, data[:3]} {
		if n, err := w.Write([]byte(p)); n != len(p) || err != nil {
			t.Fatal(n, err)
		}
	}
	if diff := cmp.Diff([]string{window, data + "abc", end, data + window[:3], window, data + data[:3]},
		got.list); diff != "" {
		t.Error(diff)
	}
}

func TestJoinedTellsErrors(t *testing.T) {
	r, w := io.Pipe()
	broken := errors.New("broken")
	r.CloseWithError(broken)
	j := JoinFrames(w)
	_, _ = j.Write([]byte("\x00\x00\x00\x00\x00\x00\x00\x02\x00\x00\x00\x03"))
	if n, err := j.Write([]byte("abc")); n != 0 || !errors.Is(err, broken) {
		t.Error(n, err)
	}
}

// Each frame of a real session arrives in one write.
func TestJoinedSession(t *testing.T) {
	a, b := net.Pipe()
	counted := &countedConn{Conn: a}
	client, err := yamux.Client(struct {
		io.Reader
		io.Writer
		io.Closer
	}{a, JoinFrames(counted), a}, Mux(EngineWindow))
	if err != nil {
		t.Fatal(err)
	}
	defer client.Close()
	server, err := yamux.Server(b, Mux(GuestWindow))
	if err != nil {
		t.Fatal(err)
	}
	defer server.Close()
	stream, err := client.OpenStream()
	if err != nil {
		t.Fatal(err)
	}
	sent := bytes.Repeat([]byte("0123456789"), 5000)
	go func() {
		for i := 0; i < len(sent); i += 1000 {
			_, _ = stream.Write(sent[i : i+1000])
		}
		_ = stream.Close()
	}()
	other, err := server.AcceptStream()
	if err != nil {
		t.Fatal(err)
	}
	got, err := io.ReadAll(other)
	if err != nil || !bytes.Equal(got, sent) {
		t.Fatalf("%d bytes, %v", len(got), err)
	}
	const frames = 50 + 2 // and the stream's beginning and end
	if got := counted.writes.Load(); got > frames {
		t.Errorf("%d writes for %d frames", got, frames)
	}
}

type countedConn struct {
	net.Conn
	writes atomic.Int64
}

func (c *countedConn) Write(p []byte) (int, error) {
	c.writes.Add(1)
	return c.Conn.Write(p)
}
