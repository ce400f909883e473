package main

import (
	"io"
	"sync/atomic"

	"github.com/hashicorp/yamux"

	"github.com/computclaw/airlock/plugins/wire"
)

// output relays one of the script's output pipes.
type output struct {
	dropped atomic.Int64 // bytes beyond the cap
}

// relay copies up to limit bytes into a stream and drops the rest. So a script that prints too much
// is cut, not blocked. It returns at the pipe's end, with the stream closed.
func (o *output) relay(mux *yamux.Session, kind wire.Kind, from io.Reader, limit int64) {
	stream, err := mux.OpenStream()
	if err != nil {
		return
	}
	defer stream.Close()
	if wire.Write(stream, wire.Header{Kind: kind}) != nil {
		return
	}
	buf := make([]byte, 32<<10)
	for {
		n, err := from.Read(buf)
		send := min(int64(n), limit)
		limit -= send
		o.dropped.Add(int64(n) - send)
		if send > 0 {
			if _, err := stream.Write(buf[:send]); err != nil {
				return
			}
		}
		if err != nil {
			return
		}
	}
}
