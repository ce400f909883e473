package docker

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"strings"
	"sync"
)

// deliverError says that output could not be handed on, as opposed to not read.
type deliverError struct{ err error }

func (e deliverError) Error() string { return e.err.Error() }
func (e deliverError) Unwrap() error { return e.err }

// demux takes apart what an engine sends of a container without a terminal: frames of 8 bytes (stream number, three zeroes, length) and
// that many bytes. It holds no frame in memory. The end of src between frames is no error.
func demux(src io.Reader, stdout, stderr io.Writer) error {
	buf := make([]byte, 64<<10)
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
		for left := int(binary.BigEndian.Uint32(head[4:])); left > 0; {
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

// maxDiagnostic is how much of a guest's stderr is kept, in bytes.
const maxDiagnostic = 4 << 10

// tail keeps the last bytes written to it. Safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	kept []byte
}

func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.kept = append(t.kept, p[max(0, len(p)-maxDiagnostic):]...)
	if extra := len(t.kept) - maxDiagnostic; extra > 0 {
		t.kept = append(t.kept[:0], t.kept[extra:]...)
	}
	return len(p), nil
}

func (t *tail) String() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	return strings.ToValidUTF8(strings.TrimSpace(string(t.kept)), "\uFFFD")
}
