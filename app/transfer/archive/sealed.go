package archive

import (
	"crypto/aes"
	"crypto/cipher"
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
