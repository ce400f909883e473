package stdio

import (
	"context"
	"io"
	"time"

	"github.com/computclaw/airlock/plugins"
)

// Relay copies src to dst until either ends, in pieces that make one message each. It takes memory
// for large ones once there is one, since most boxes say little, and a thousand may wait at once. A
// closed pipe at the end of src is its end.
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

// grace is how long output under way may take once a box has been killed.
const grace = time.Second

// Flush waits until the last output is delivered, whose outcome comes through output. The pipe has
// ended, since no process is left; only the reader at the far end can hold it up, and once ctx has
// ended it may not do so for long.
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
