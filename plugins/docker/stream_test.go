package docker

import (
	"bytes"
	"encoding/binary"
	"errors"
	"io"
	"testing"
	"testing/iotest"

	"pgregory.net/rapid"
)

func frame(stream byte, payload string) []byte {
	head := []byte{stream, 0, 0, 0, 0, 0, 0, 0}
	binary.BigEndian.PutUint32(head[4:], uint32(len(payload)))
	return append(head, payload...)
}

func TestDemux(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var raw, want [2]bytes.Buffer
		var src bytes.Buffer
		for _, payload := range rapid.SliceOf(rapid.StringN(0, 300, 5000)).Draw(t, "payloads") {
			n := rapid.IntRange(0, 1).Draw(t, "stream")
			src.Write(frame(byte(n+1), payload))
			want[n].WriteString(payload)
		}
		var r io.Reader = &src
		if rapid.Bool().Draw(t, "slow") {
			r = iotest.OneByteReader(r)
		}
		if err := demux(r, &raw[0], &raw[1]); err != nil {
			t.Fatal(err)
		}
		for n := range raw {
			if !bytes.Equal(raw[n].Bytes(), want[n].Bytes()) {
				t.Fatalf("stream %d differs", n+1)
			}
		}
	})
}

func TestDemuxRefuses(t *testing.T) {
	var out bytes.Buffer
	if err := demux(bytes.NewReader(frame(3, "x")), &out, &out); err == nil || out.Len() > 0 {
		t.Errorf("a stream that isn't there: %v, %q", err, out.String())
	}
	for _, cut := range []int{1, 7, 8, 10} {
		if err := demux(bytes.NewReader(frame(1, "abcd")[:cut]), io.Discard, io.Discard); !errors.Is(err,
			io.ErrUnexpectedEOF) {
			t.Errorf("cut after %d bytes: %v", cut, err)
		}
	}
	full := errors.New("full")
	var failed deliverError
	if err := demux(bytes.NewReader(frame(1, "abcd")), failingWriter{full}, io.Discard); !errors.As(err, &failed) ||
		!errors.Is(err, full) {
		t.Errorf("a writer that fails: %v", err)
	}
}

type failingWriter struct{ err error }

func (w failingWriter) Write([]byte) (int, error) { return 0, w.err }

func FuzzDemux(f *testing.F) {
	f.Add(frame(1, "hello"))
	f.Add(append(frame(2, ""), frame(1, "\x00")...))
	f.Add([]byte{1, 0, 0, 0, 0xff, 0xff, 0xff, 0xff, 'x'})
	f.Fuzz(func(t *testing.T, raw []byte) {
		var out, errs bytes.Buffer
		_ = demux(bytes.NewReader(raw), &out, &errs)
		if out.Len()+errs.Len() > len(raw) {
			t.Errorf("%d bytes out of %d", out.Len()+errs.Len(), len(raw))
		}
	})
}
