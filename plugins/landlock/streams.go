package landlock

import (
	"context"
	"io"
	"os"
	"strings"
	"time"
)

// flush waits until the last output is delivered. The pipe has ended, since no process is left; only the reader at the far end can hold it up, and
// once ctx has ended it may not do so for long.
func flush(ctx context.Context, output <-chan error) error {
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

// relay copies src to dst until either ends, in chunks of at most 64 KiB.
func relay(dst io.Writer, src io.Reader) error {
	buf := make([]byte, 64<<10)
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
	}
}

// maxDiagnostic is how much of a guest's stderr is kept, in bytes.
const maxDiagnostic = 4 << 10

// lastOf reads r to its end and returns the last maxDiagnostic bytes as text.
func lastOf(r io.Reader) string {
	var tail []byte
	buf := make([]byte, maxDiagnostic)
	for {
		n, err := r.Read(buf)
		tail = append(tail, buf[:n]...)
		if extra := len(tail) - maxDiagnostic; extra > 0 {
			tail = append(tail[:0], tail[extra:]...)
		}
		if err != nil {
			return strings.ToValidUTF8(strings.TrimSpace(string(tail)), "\uFFFD")
		}
	}
}

func closeAll(files ...*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
