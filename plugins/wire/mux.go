package wire

import (
	"io"
	"time"

	"github.com/hashicorp/yamux"
)

const (
	// MaxConnects is how many connect streams a box may have open at once.
	MaxConnects = 64

	// MaxWaiting is how many more of a box's connections wait for one to end. They wait in the box
	// and take a descriptor each.
	MaxWaiting = 128

	// MaxWait is how long a connection waits.
	MaxWait = 30 * time.Second

	// MaxConnections is how many connect streams a box may open in its life. Those that only report
	// a limit don't count: there are at most MaxRefusals of them.
	MaxConnections = 10_000

	// MaxRefusals is how many unknown names, unlisted ports, and connections stopped by a limit a
	// box reports, each. Each is reported once.
	MaxRefusals = 64

	// EngineWindow is how many bytes per stream the engine buffers for a box. It is yamux's
	// minimum: with every stream stalled a hostile box holds MaxConnects times this of the engine's
	// memory.
	EngineWindow = 256 << 10

	// GuestWindow is the same in the box. That memory is the box's own, and the pipe may be long.
	GuestWindow = 1 << 20

	// Piece is how many bytes of a connection go into one frame, which then fits into one message
	// of a plugin.
	Piece = 128<<10 - 256
)

// Mux returns the multiplexer's configuration for a side with window bytes per stream.
//
// It sets no timeouts: a frozen box may stay silent for minutes, and a peer that stops reading
// means back-pressure. A session ends with the pipe or its owner's deadline. Logging is discarded,
// because the box controls its content.
func Mux(window uint32) *yamux.Config {
	return &yamux.Config{
		// above what a session takes, so that excess streams are detected and not just reset
		AcceptBacklog:          4 * MaxConnects,
		EnableKeepAlive:        false,
		KeepAliveInterval:      time.Hour, // unused, but must not be zero
		ConnectionWriteTimeout: 1000 * time.Hour,
		MaxStreamWindowSize:    window,
		LogOutput:              io.Discard,
	}
}
