package bubblewrap

import (
	"os"

	"golang.org/x/sys/unix"
)

// stdioPipe is what a pipe of a box's stdio should hold, in bytes: with what the kernel gives by
// itself, each message would have to wait for the other side. The kernel may refuse it to a user
// with many pipes.
const stdioPipe = 256 << 10

// firstFD is the number of a child's first inherited descriptor after stdin, stdout and stderr.
const firstFD = 3

// wiring collects the pipes between this process and one child. The first error sticks and makes
// the rest no-ops.
type wiring struct {
	err       error
	inherited []*os.File // in the order of the child's numbers, from firstFD
	theirs    []*os.File // ends to close here once the child has them
	ours      []*os.File
}

// down makes a pipe to write to the child, up one to read from it. Both return our end and the
// child's.
func (w *wiring) down() (ours, theirs *os.File) {
	r, wr := w.pipe()
	w.ours, w.theirs = append(w.ours, wr), append(w.theirs, r)
	return wr, r
}

func (w *wiring) up() (ours, theirs *os.File) {
	r, wr := w.pipe()
	w.ours, w.theirs = append(w.ours, r), append(w.theirs, wr)
	return r, wr
}

func (w *wiring) pipe() (r, wr *os.File) {
	if w.err == nil {
		r, wr, w.err = os.Pipe()
	}
	return r, wr
}

// enlarge lets the pipe of one end hold more, if the kernel agrees.
func enlarge(end *os.File) {
	if end != nil {
		_, _ = unix.FcntlInt(end.Fd(), unix.F_SETPIPE_SZ, stdioPipe)
	}
}

// pass gives the child a descriptor and returns its number there. A nil file is legal after an
// error.
func (w *wiring) pass(f *os.File) int {
	w.inherited = append(w.inherited, f)
	return firstFD + len(w.inherited) - 1
}

// data gives the child a pipe that holds b, and returns its number there.
func (w *wiring) data(b []byte) int {
	var f *os.File
	if w.err == nil {
		f, w.err = filled(b)
	}
	w.theirs = append(w.theirs, f)
	return w.pass(f)
}

func (w *wiring) closeTheirs() { closeAll(w.theirs) }
func (w *wiring) closeOurs()   { closeAll(w.ours) }

func closeAll(files []*os.File) {
	for _, f := range files {
		if f != nil {
			f.Close()
		}
	}
}
