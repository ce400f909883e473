package stdio

import (
	"context"
	"io"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// Relay copies src to dst until either ends, in pieces of one message each. It takes a large buffer
// only for large data: a thousand quiet boxes may wait at once. A closed pipe counts as the end of
// src.
func Relay(dst io.Writer, src io.Reader) error {
	buf := make([]byte, 4<<10)
	for {
		n, err := src.Read(buf)
		if n > 0 {
			if _, werr := dst.Write(buf[:n]); werr != nil {
				return werr
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
		if n == len(buf) && n < plugins.Chunk {
			buf = make([]byte, plugins.Chunk)
		}
	}
}

// grace bounds the wait for remaining output after a kill.
const grace = time.Second

// Flush waits until the last output is delivered and returns its result. The pipe has ended,
// because no process is left. After ctx's end a stalled reader can't delay it for long.
func Flush(ctx context.Context, output <-chan error) error {
	select {
	case err := <-output:
		return err
	case <-ctx.Done():
	}
	select {
	case err := <-output:
		return err
	case <-time.After(grace):
		return nil
	}
}
