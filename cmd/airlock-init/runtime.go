package main

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/osthread"
	"github.com/computclaw/airlock/plugins/wire"
)

const threads = 6

// configureRuntime fits the Go runtime to PID 1 of a small box.
//
// Many boxes mostly wait, so memory matters. All threads start while there is room. Nothing here
// blocks a thread for long: the pipe is polled, and children are awaited by signal.
func configureRuntime() {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(50)
	osthread.Reserve(threads)
}

// stdio is the pipe to the engine.
type stdio struct {
	io.Writer               // to the second file
	in        *bufio.Reader // yamux's own holds 4 KiB, so that a frame would take several reads
	files     []*os.File
}

const stdinBuffer = 64 << 10

// newStdio takes over two descriptors.
func newStdio(stdin, stdout int) (*stdio, error) {
	for _, fd := range []int{stdin, stdout} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("stdio: %w", err)
		}
	}
	in, out := os.NewFile(uintptr(stdin), "stdin"), os.NewFile(uintptr(stdout), "stdout")
	return &stdio{Writer: wire.Joined(out), in: bufio.NewReaderSize(in, stdinBuffer), files: []*os.File{in, out}}, nil
}

func (s *stdio) Read(p []byte) (int, error) { return s.in.Read(p) }

// Close closes both ends.
func (s *stdio) Close() error { return errors.Join(s.files[0].Close(), s.files[1].Close()) }
