package stdio

import (
	"errors"
	"fmt"
	"os"

	"golang.org/x/sys/unix"
)

// stdioPipe is the size of a box's stdio pipes in bytes. With the kernel's default each message
// would wait for the other side. The kernel may refuse it to a user with many pipes.
const stdioPipe = 256 << 10

// FirstFD is the number of a child's first inherited descriptor after stdin, stdout and stderr.
const FirstFD = 3

// Wiring collects the pipes between this process and one child. After the first error, Err, its
// methods do nothing. The zero value is ready.
type Wiring struct {
	Err       error
	Inherited []*os.File // in the order of the child's numbers, from FirstFD
	theirs    []*os.File // ends to close here once the child has them
	ours      []*os.File
}

// Down makes a pipe to the child and returns our end and the child's.
func (w *Wiring) Down() (ours, theirs *os.File) {
	r, wr := w.pipe()
	w.ours, w.theirs = append(w.ours, wr), append(w.theirs, r)
	return wr, r
}

// Up makes a pipe from the child and returns our end and the child's.
func (w *Wiring) Up() (ours, theirs *os.File) {
	r, wr := w.pipe()
	w.ours, w.theirs = append(w.ours, r), append(w.theirs, wr)
	return r, wr
}

func (w *Wiring) pipe() (r, wr *os.File) {
	if w.Err == nil {
		r, wr, w.Err = os.Pipe()
	}
	return r, wr
}

// Enlarge lets the pipe of one end hold more, if the kernel agrees.
func Enlarge(end *os.File) {
	if end != nil {
		_, _ = unix.FcntlInt(end.Fd(), unix.F_SETPIPE_SZ, stdioPipe)
	}
}

// Pass gives the child a descriptor and returns its number there. A nil file is allowed after an
// error.
func (w *Wiring) Pass(f *os.File) int {
	w.Inherited = append(w.Inherited, f)
	return FirstFD + len(w.Inherited) - 1
}

// Data gives the child a pipe that holds b, and returns its number there.
func (w *Wiring) Data(b []byte) int {
	var f *os.File
	if w.Err == nil {
		f, w.Err = fillPipe(b)
	}
	return w.Give(f)
}

// Give is Pass for a file that is closed here once the child was started.
func (w *Wiring) Give(f *os.File) int {
	w.theirs = append(w.theirs, f)
	return w.Pass(f)
}

// CloseTheirs closes the ends that the child has, once it was started.
func (w *Wiring) CloseTheirs() { closeAll(w.theirs) }

// CloseOurs closes our ends.
func (w *Wiring) CloseOurs() { closeAll(w.ours) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}

// maxPipe is what a fresh pipe holds on every kernel.
const maxPipe = 64 << 10

// fillPipe returns the read end of a pipe that holds data and then ends. Unlike a memory file it
// has no shared position.
func fillPipe(data []byte) (*os.File, error) {
	if len(data) > maxPipe {
		return nil, fmt.Errorf("%d bytes do not fit into a pipe", len(data))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	if err = errors.Join(err, w.Close()); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}
