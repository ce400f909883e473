package docker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"

	"github.com/computclaw/airlock/plugins"
)

// deliverError says that output could not be handed on, as opposed to not read.
type deliverError struct{ err error }

func (e deliverError) Error() string { return e.err.Error() }
func (e deliverError) Unwrap() error { return e.err }

// demux splits an engine's stream of a container without a terminal into stdout and stderr. A frame
// is 8 bytes (stream number, three zeroes, length) and that many bytes. It holds no frame in
// memory. The end of src between frames is no error.
func demux(src io.Reader, stdout, stderr io.Writer) error {
	buf := make([]byte, 4<<10)
	var head [8]byte
	for {
		if _, err := io.ReadFull(src, head[:]); err != nil {
			if errors.Is(err, io.EOF) {
				return nil
			}
			return err
		}
		dst := stdout
		switch head[0] {
		case 1:
		case 2:
			dst = stderr
		default:
			return fmt.Errorf("the engine sent a frame for stream %d", head[0])
		}
		left := int(binary.BigEndian.Uint32(head[4:]))
		if left > len(buf) && len(buf) < plugins.Chunk { // a box that only waits has never said so much
			buf = make([]byte, plugins.Chunk)
		}
		for left > 0 {
			n, err := src.Read(buf[:min(left, len(buf))])
			left -= n
			if n > 0 {
				if _, err := dst.Write(buf[:n]); err != nil {
					return deliverError{err}
				}
			}
			if err != nil && left > 0 {
				return io.ErrUnexpectedEOF
			}
		}
	}
}
