package pipe

import (
	"bytes"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"os"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Whatever the sizes of writes and reads, and whichever of the calls are used, the bytes arrive in
// order and then the end.
func TestBytesArriveInOrder(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		total := rapid.IntRange(0, 5*BufferSize).Draw(t, "total")
		seed := rapid.Uint64().Draw(t, "seed")
		source := make([]byte, total)
		for i := range source {
			source[i] = byte(i ^ i>>8 ^ i>>16)
		}
		a, b := New()
		var got bytes.Buffer
		var wg sync.WaitGroup
		// what the buffer is made for grows with the pieces
		most := rapid.SampledFrom([]int{100, smallest, BufferSize}).Draw(t, "most")
		readFrom, writeTo := rapid.Bool().Draw(t, "ReadFrom"), rapid.Bool().Draw(t, "WriteTo")
		wg.Go(func() {
			defer a.CloseWrite()
			if readFrom {
				_, _ = a.ReadFrom(&lumpy{bytes.NewReader(source), rand.New(rand.NewPCG(seed, 1))})
				return
			}
			r := rand.New(rand.NewPCG(seed, 2))
			for rest := source; len(rest) > 0; {
				n := min(len(rest), 1+r.IntN(most))
				if r.IntN(50) == 0 {
					most = min(2*most, BufferSize)
				}
				if m, err := a.Write(rest[:n]); m != n || err != nil {
					panic(err)
				}
				rest = rest[n:]
			}
		})
		wg.Go(func() {
			if writeTo {
				_, _ = b.WriteTo(&got)
				return
			}
			_, _ = got.ReadFrom(&lumpy{b, rand.New(rand.NewPCG(seed, 3))})
		})
		wg.Wait()
		if !bytes.Equal(got.Bytes(), source) {
			t.Fatalf("%d bytes arrive of %d, or others", got.Len(), total)
		}
	})
}

// lumpy reads pieces of any size.
type lumpy struct {
	io.Reader
	r *rand.Rand
}

func (l *lumpy) Read(p []byte) (int, error) {
	return l.Reader.Read(p[:min(len(p), 1+l.r.IntN(50_000))])
}

func TestBothDirectionsAtOnce(t *testing.T) {
	a, b := New()
	var wg sync.WaitGroup
	for _, e := range []*End{a, b} {
		wg.Go(func() { _, _ = e.Write(make([]byte, 10*BufferSize)); _ = e.CloseWrite() })
		wg.Go(func() {
			if all, err := io.ReadAll(e); len(all) != 10*BufferSize || err != nil {
				t.Errorf("%d, %v", len(all), err)
			}
		})
	}
	wg.Wait()
}

func TestBufferIsBounded(t *testing.T) {
	a, b := New()
	_ = a.SetWriteDeadline(time.Now().Add(50 * time.Millisecond))
	n, err := a.Write(make([]byte, 3*BufferSize))
	if n != BufferSize || !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%d, %v", n, err)
	}
	_ = a.SetWriteDeadline(time.Time{})
	if _, err := io.ReadFull(b, make([]byte, BufferSize)); err != nil {
		t.Error(err)
	}
	if _, err := a.Write([]byte("x")); err != nil {
		t.Errorf("after the limit was lifted: %v", err)
	}
}

func TestReadDeadline(t *testing.T) {
	a, b := New()
	_ = b.SetReadDeadline(time.Now().Add(20 * time.Millisecond))
	_, err := b.Read(make([]byte, 1))
	var timeout net.Error
	if !errors.As(err, &timeout) || !timeout.Timeout() {
		t.Errorf("%v", err)
	}
	_ = b.SetDeadline(time.Now().Add(-time.Second))
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, os.ErrDeadlineExceeded) {
		t.Errorf("%v", err)
	}
	_ = b.SetDeadline(time.Time{})
	go func() { _, _ = a.Write([]byte("x")) }()
	if n, err := b.Read(make([]byte, 1)); n != 1 || err != nil {
		t.Errorf("%d, %v", n, err)
	}
}

// Close is orderly: the other end reads the rest, and its writes vanish.
func TestClose(t *testing.T) {
	a, b := New()
	if _, err := a.Write([]byte("last words")); err != nil {
		t.Fatal(err)
	}
	blocked := make(chan error, 1)
	go func() { _, err := b.Write(make([]byte, 2*BufferSize)); blocked <- err }()
	_ = a.Close()
	if err := <-blocked; err != nil {
		t.Errorf("a write ends with %v", err)
	}
	if all, err := io.ReadAll(b); string(all) != "last words" || err != nil {
		t.Errorf("%q, %v", all, err)
	}
	if n, err := b.ReadFrom(bytes.NewReader(make([]byte, 3*BufferSize))); n != 3*BufferSize || err != nil {
		t.Errorf("%d, %v", n, err)
	}
	if _, err := a.Write([]byte("x")); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%v", err)
	}
	if _, err := a.Read(make([]byte, 1)); err == nil {
		t.Error("a closed end reads")
	}
}

// TestAClosedEndReadsNothing, not even what came before it was closed.
func TestAClosedEndReadsNothing(t *testing.T) {
	a, b := New()
	if _, err := b.Write([]byte("too late")); err != nil {
		t.Fatal(err)
	}
	_ = a.Close()
	if n, err := a.Read(make([]byte, 1)); !errors.Is(err, io.ErrClosedPipe) {
		t.Errorf("%d bytes, %v", n, err)
	}
}

// Break frees all that is blocked.
func TestBreak(t *testing.T) {
	a, b := New()
	broken := errors.New("broken")
	ended := make(chan error, 4)
	go func() { _, err := a.Write(make([]byte, 2*BufferSize)); ended <- err }()
	go func() { _, err := io.Copy(io.Discard, a); ended <- err }()
	go func() { _, err := b.ReadFrom(endless{}); ended <- err }()
	go func() { _, err := b.WriteTo(stuck{}); ended <- err }()
	time.Sleep(10 * time.Millisecond)
	a.Break(broken)
	b.Break(errors.New("again"))
	for range 4 {
		if err := <-ended; !errors.Is(err, broken) && !errors.Is(err, errStuck) {
			t.Errorf("%v", err)
		}
	}
	if _, err := b.Read(make([]byte, 1)); !errors.Is(err, broken) {
		t.Errorf("%v", err)
	}
}

type endless struct{}

func (endless) Read(p []byte) (int, error) { return len(p), nil }

var errStuck = errors.New("stuck")

type stuck struct{}

func (stuck) Write([]byte) (int, error) { return 0, errStuck }

func BenchmarkPipe(b *testing.B) {
	a, c := New()
	b.SetBytes(16 << 10)
	go func() { _, _ = io.Copy(io.Discard, c) }()
	chunk := make([]byte, 16<<10)
	for range b.N {
		if _, err := a.Write(chunk); err != nil {
			b.Fatal(err)
		}
	}
}
