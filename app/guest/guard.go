package guest

import (
	"encoding/binary"
	"io"
	"sync"

	"github.com/computclaw/airlock/plugins/wire"
)

// yamux's frame header: version, type, flags (16 bit), stream id (32 bit), length (32 bit).
const (
	muxHeader = 12

	muxData   = 0
	muxWindow = 1

	muxSYN   = 1
	muxFlags = 1 | 2 | 4 | 8
)

// guard reads a box's stdout for yamux and passes only an honest guest's frames. yamux alone starts
// a goroutine for every ping and remembers every opened stream, so bytes would cost memory.
type guard struct {
	from io.ReadCloser

	header  [muxHeader]byte
	filled  int    // bytes of header seen
	body    uint32 // bytes of data still to come
	streams int    // opened by the box

	mu     sync.Mutex
	broken error
}

func (g *guard) Read(p []byte) (int, error) {
	n, err := g.from.Read(p)
	if broken := g.inspect(p[:n]); broken != nil {
		g.mu.Lock()
		g.broken = broken
		g.mu.Unlock()
		return 0, broken
	}
	return n, err
}

func (g *guard) violation() error {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.broken
}

func (g *guard) inspect(p []byte) error {
	for len(p) > 0 {
		if g.body > 0 {
			skip := min(int64(g.body), int64(len(p)))
			g.body -= uint32(skip)
			p = p[skip:]
			continue
		}
		n := copy(g.header[g.filled:], p)
		g.filled += n
		p = p[n:]
		if g.filled < muxHeader {
			return nil
		}
		g.filled = 0
		if err := g.frame(); err != nil {
			return err
		}
	}
	return nil
}

func (g *guard) frame() error {
	version, kind := g.header[0], g.header[1]
	flags := binary.BigEndian.Uint16(g.header[2:])
	id := binary.BigEndian.Uint32(g.header[4:])
	length := binary.BigEndian.Uint32(g.header[8:])
	switch {
	case version != 0 || kind > muxWindow || flags&^muxFlags != 0:
		return violation("not a stream frame")
	case id%2 != 0 && (id != 1 || flags&muxSYN != 0):
		return violation("a stream that isn't the box's to open")
	case kind == muxData && length > wire.EngineWindow:
		return violation("more data than was asked for")
	}
	if flags&muxSYN != 0 {
		if g.streams++; g.streams > wire.MaxConnections+wire.MaxRefusals+6 {
			return violation("more than %d connections", wire.MaxConnections)
		}
	}
	if kind == muxData {
		g.body = length
	}
	return nil
}

type pipe struct {
	*guard
	io.Writer // to stdin
	stdin     io.Closer
}

func (p pipe) Close() error {
	_ = p.stdin.Close()
	return p.from.Close()
}
