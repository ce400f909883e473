package backups

import (
	"bytes"
	"errors"
	"io"
)

var errNotSame = errors.New("the storage gives back something else than was stored")

// equalReader reads a stream as long as it equals another one. It returns no byte that differs.
type equalReader struct {
	r, as io.Reader
	buf   []byte
}

func (s *equalReader) Read(p []byte) (int, error) {
	n, err := s.r.Read(p)
	if len(s.buf) < n {
		s.buf = make([]byte, n)
	}
	want := s.buf[:n]
	if _, short := io.ReadFull(s.as, want); short != nil || !bytes.Equal(p[:n], want) {
		clear(p[:n])
		return 0, errNotSame
	}
	if errors.Is(err, io.EOF) {
		if more, _ := io.ReadFull(s.as, make([]byte, 1)); more > 0 {
			return n, errNotSame
		}
	}
	return n, err
}
