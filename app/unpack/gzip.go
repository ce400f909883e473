package unpack

import (
	"bufio"
	"compress/gzip"
	"errors"
	"io"
)

// Gzip is how a gzip file begins.
const Gzip = "\x1f\x8b\x08"

// Streams reads what the streams of a gzip file decompress to, one after the other. Zero bytes may
// stand between them, as gzip itself allows.
type Streams struct {
	source *bufio.Reader
	plain  *gzip.Reader // of the stream that is being read
}

// NewStreams reads a gzip file, and no byte of source that follows it.
func NewStreams(source *bufio.Reader) *Streams { return &Streams{source: source} }

// Read returns io.EOF where no stream follows.
func (s *Streams) Read(p []byte) (int, error) {
	if s.plain == nil {
		for head, err := s.source.Peek(1); err == nil && head[0] == 0; head, err = s.source.Peek(1) {
			_, _ = s.source.Discard(1)
		}
		if head, err := s.source.Peek(len(Gzip)); err != nil || string(head) != Gzip {
			return 0, io.EOF
		}
		plain, err := gzip.NewReader(s.source)
		if err != nil {
			return 0, noEOF(err)
		}
		plain.Multistream(false)
		s.plain = plain
	}
	n, err := s.plain.Read(p)
	if errors.Is(err, io.EOF) {
		s.plain, err = nil, nil
	}
	return n, err
}

func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return io.ErrUnexpectedEOF
	}
	return err
}
