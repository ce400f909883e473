package stdio

import (
	"io"
	"os"
)

// Pipes are our ends of a box's stdio.
type Pipes struct{ Stdin, Stdout, Stderr *os.File }

// Streams relay a box's stdio while it lives.
type Streams struct {
	Output chan error      // gets the outcome of relaying stdout, once
	Exited <-chan struct{} // closed when the process has ended

	stderr chan string
}

// Attach begins to relay. wait returns when the process has ended.
func (p Pipes) Attach(wait func(), stdin io.Reader, stdout io.Writer) *Streams {
	exited := make(chan struct{})
	s := &Streams{Output: make(chan error, 1), Exited: exited, stderr: make(chan string, 1)}
	go func() { s.stderr <- LastOf(p.Stderr) }()
	go func() { s.Output <- Relay(stdout, p.Stdout) }()
	go func() {
		wait()
		close(exited)
	}()
	// It may block in stdin.Read after the box's end; nothing waits for it.
	go func() {
		_, _ = io.Copy(p.Stdin, stdin)
		p.Stdin.Close()
	}()
	return s
}

// Diagnostic waits for the end of the box's stderr and returns the last of it.
func (s *Streams) Diagnostic() string { return <-s.stderr }
