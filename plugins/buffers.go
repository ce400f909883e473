package plugins

import "sync"

// buffers pools byte slices between messages, in a few sizes. It doesn't clear them: all bytes of a
// slice are written before they are read.
type buffers struct{ tiers [len(tierSizes)]sync.Pool }

// tierSizes fit heads, one frame of HTTP/2, and one message of Chunk bytes.
var tierSizes = [...]int{4 << 10, 16 << 10, messageBuffer}

// Get implements mem.BufferPool.
func (b *buffers) Get(length int) *[]byte {
	for i, size := range tierSizes {
		if length > size {
			continue
		}
		if kept, ok := b.tiers[i].Get().(*[]byte); ok {
			*kept = (*kept)[:length]
			return kept
		}
		fresh := make([]byte, length, size)
		return &fresh
	}
	fresh := make([]byte, length)
	return &fresh
}

// Put implements mem.BufferPool.
func (b *buffers) Put(used *[]byte) {
	for i, size := range tierSizes {
		if cap(*used) == size {
			b.tiers[i].Put(used)
			return
		}
	}
}
