package archive

import (
	"bufio"
	"crypto/cipher"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
)

// nonce is the chunk's number and whether it is the last.
func nonce(n uint64, last bool) []byte {
	b := make([]byte, nonceSize)
	binary.BigEndian.PutUint64(b[3:], n)
	if last {
		b[nonceSize-1] = 1
	}
	return b
}

// chunkWriter seals what is written to it.
type chunkWriter struct {
	w      io.Writer
	header []byte // associated data of each chunk
	aead   cipher.AEAD
	n      uint64
	buf    []byte // pending plaintext, never more than a chunk
	out    []byte
}

func newChunkWriter(w io.Writer, header []byte, aead cipher.AEAD) *chunkWriter {
	return &chunkWriter{w: w, header: header, aead: aead, buf: make([]byte, 0, chunkSize),
		out: make([]byte, 0, chunkSize+tagSize)}
}

// Write keeps a full chunk back, since it may be the last.
func (c *chunkWriter) Write(p []byte) (int, error) {
	total := len(p)
	for len(p) > 0 {
		if len(c.buf) == chunkSize {
			if err := c.flush(false); err != nil {
				return total - len(p), err
			}
		}
		n := min(chunkSize-len(c.buf), len(p))
		c.buf = append(c.buf, p[:n]...)
		p = p[n:]
	}
	return total, nil
}

// Close writes the last chunk.
func (c *chunkWriter) Close() error { return c.flush(true) }

func (c *chunkWriter) flush(last bool) error {
	c.out = c.aead.Seal(c.out[:0], nonce(c.n, last), c.buf, c.header)
	c.buf = c.buf[:0]
	c.n++
	if _, err := c.w.Write(c.out); err != nil {
		return fmt.Errorf("archive: write: %w", err)
	}
	return nil
}

// chunkReader opens chunks in order. It returns io.EOF only after the last, at the source's end.
type chunkReader struct {
	r      *bufio.Reader
	header []byte
	aead   cipher.AEAD
	n      uint64
	in     []byte
	buf    []byte
	rest   []byte // of buf, not yet read
	last   bool
	err    error
}

func newChunkReader(r io.Reader, header []byte, aead cipher.AEAD) *chunkReader {
	return &chunkReader{r: bufio.NewReaderSize(r, chunkSize), header: header, aead: aead,
		in:  make([]byte, chunkSize+tagSize),
		buf: make([]byte, 0, chunkSize)}
}

func (c *chunkReader) Read(p []byte) (int, error) {
	for len(c.rest) == 0 && c.err == nil {
		c.err = c.next()
	}
	if len(c.rest) == 0 {
		return 0, c.err
	}
	n := copy(p, c.rest)
	c.rest = c.rest[n:]
	return n, nil
}

// next opens the next chunk. The source's end must follow the last one.
func (c *chunkReader) next() error {
	if c.last {
		return io.EOF
	}
	n, err := io.ReadFull(c.r, c.in)
	switch {
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		c.last = true
	case err != nil:
		return fmt.Errorf("archive: read: %w", err)
	default:
		if _, err := c.r.Peek(1); errors.Is(err, io.EOF) {
			c.last = true
		} else if err != nil {
			return fmt.Errorf("archive: read: %w", err)
		}
	}
	if n < tagSize || n == tagSize && c.n > 0 {
		return fmt.Errorf("%w: its end is missing", ErrDamaged)
	}
	plain, err := c.aead.Open(c.buf[:0], nonce(c.n, c.last), c.in[:n], c.header)
	if err != nil {
		return fmt.Errorf("%w: chunk %d was changed, moved or cut off", ErrDamaged, c.n)
	}
	c.n++
	c.rest = plain
	return nil
}

// readError returns the error that ended the chunks, if any but io.EOF.
func (c *chunkReader) readError() error {
	if errors.Is(c.err, io.EOF) {
		return nil
	}
	return c.err
}
