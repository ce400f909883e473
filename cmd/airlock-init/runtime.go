package main

import (
	"bufio"
	"fmt"
	"io"
	"os"
	"runtime"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/osthread"
	"github.com/computclaw/airlock/plugins/wire"
)

// threads is how many idle threads the runtime is given in advance.
const threads = 6

// configureRuntime makes the Go runtime fit for PID 1 of a small box.
//
// A box is one of many and mostly waits, so memory matters and throughput is the pipe's. All the
// threads there will ever be a use for are made while there is room. To the same end nothing here
// blocks a thread for long: the pipe to the engine goes through the poller, and children are waited
// for by signal.
func configureRuntime() {
	runtime.GOMAXPROCS(2)
	debug.SetGCPercent(50)
	osthread.Reserve(threads)
}

// stdio is the pipe to the engine.
type stdio struct {
	io.Writer               // to out
	in        *bufio.Reader // yamux's own holds 4 KiB, so that a frame would take several reads
	out       *os.File
}

const stdinBuffer = 64 << 10

func newStdio() (*stdio, error) {
	for _, fd := range []int{0, 1} {
		if err := unix.SetNonblock(fd, true); err != nil {
			return nil, fmt.Errorf("stdio: %w", err)
		}
	}
	s := &stdio{in: bufio.NewReaderSize(os.NewFile(0, "stdin"), stdinBuffer), out: os.NewFile(1, "stdout")}
	s.Writer = wire.Joined(s.out)
	return s, nil
}

func (s *stdio) Read(p []byte) (int, error) { return s.in.Read(p) }

// Close does nothing: the process ends with its session.
func (s *stdio) Close() error { return nil }
