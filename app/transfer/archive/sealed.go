package archive

import (
	"crypto/aes"
	"crypto/cipher"
	"fmt"
	"io"
)

// KeySize is the length of a key of chunks, in bytes.
const KeySize = 32

// SealChunks returns a writer that seals data as the chunks of an .airlock file. It writes no
// header and doesn't compress. Close writes the last chunk; without it the end is missing.
//
// Use a key once: chunks are numbered from 0. Each chunk is bound to place and opens nowhere else.
// It panics if the key hasn't KeySize bytes.
func SealChunks(w io.Writer, key []byte, place string) io.WriteCloser {
	return newChunkWriter(w, []byte(place), newChunkAEAD(key))
}

// OpenChunks reads the output of SealChunks with the same key and place. Every byte is authentic,
// but only io.EOF says that none is missing. Errors wrap ErrDamaged or are those of r.
func OpenChunks(r io.Reader, key []byte, place string) io.Reader {
	return newChunkReader(r, []byte(place), newChunkAEAD(key))
}

// SealedSize is the length of n bytes as chunks.
func SealedSize(n int64) int64 { return n + tagSize*max(1, (n+chunkSize-1)/chunkSize) }

// RandomReader reads chunks at any offset. It is for one goroutine.
type RandomReader struct {
	r     io.ReaderAt
	size  int64 // of the content
	place []byte
	aead  cipher.AEAD
	held  int64 // number of the chunk in buf; -1: none
	buf   []byte
	in    []byte
}

// OpenChunksAt is OpenChunks for random reads of size bytes.
func OpenChunksAt(r io.ReaderAt, size int64, key []byte, place string) *RandomReader {
	return &RandomReader{r: r, size: size, place: []byte(place), aead: newChunkAEAD(key), held: -1,
		in: make([]byte, chunkSize+tagSize)}
}

// ReadAt implements io.ReaderAt. Errors wrap ErrDamaged or are those of the source.
func (c *RandomReader) ReadAt(p []byte, off int64) (n int, err error) {
	for n < len(p) {
		at := off + int64(n)
		if at >= c.size {
			return n, io.EOF
		}
		if err := c.hold(at / chunkSize); err != nil {
			return n, err
		}
		n += copy(p[n:], c.buf[at%chunkSize:])
	}
	return n, nil
}

func (c *RandomReader) hold(number int64) error {
	if number == c.held {
		return nil
	}
	begin := number * chunkSize
	length := min(chunkSize, c.size-begin)
	in := c.in[:length+tagSize]
	if n, err := c.r.ReadAt(in, number*(chunkSize+tagSize)); n < len(in) {
		return fmt.Errorf("%w: chunk %d: %w", ErrDamaged, number, err)
	}
	c.held = -1
	plain, err := c.aead.Open(c.buf[:0], nonce(uint64(number), begin+length == c.size), in, c.place)
	if err != nil {
		return fmt.Errorf("%w: chunk %d was changed, moved or cut off", ErrDamaged, number)
	}
	c.buf, c.held = plain, number
	return nil
}

func newChunkAEAD(key []byte) cipher.AEAD {
	if len(key) != KeySize {
		panic("archive: a key of chunks has 32 bytes")
	}
	block, err := aes.NewCipher(key)
	if err != nil {
		panic(err) // it has a length that AES knows
	}
	aead, err := cipher.NewGCM(block)
	if err != nil {
		panic(err) // AES has the block size of GCM
	}
	return aead
}
