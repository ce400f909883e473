// Package template holds what a template and its boxes share. It starts the template's interpreter
// and hands it over to a box's PID 1.
//
// A template is a sandbox with an interpreter that holds no profile, secret or policy. No script
// ever runs in it.
package template

import (
	"fmt"
	"math"
	"os"
	"path/filepath"
	"syscall"

	"golang.org/x/sys/unix"
)

// Mode is the argument that makes a guest a template: PID 1 of a sandbox, with capabilities in its
// user namespace. Descriptor 3 is the guest's program. Descriptor 4 is a socket of whole messages
// with the interpreter's code.
const Mode = "template"

// prologue precedes the program of each interpreter. PARK forks boxes, and returns in each, with
// whether the program's code is asked for. It also returns once in the template when code arrives
// on descriptor 4, which the next box then has loaded. The program then calls PARK again.
const prologue = `import os
s = {}
exec(os.read(4, 1 << 18), s)
PARK = s.pop('serve')
del s
PARK()
`

const lastFD = 4

// Root is a template's directory with the boxes' shared root. Each box replaces the mounts of its
// own.
const Root = "/tmp/box"

// Become prepares Root and becomes the interpreter. In each box that runs program as if started
// there. It only returns on failure.
func Become(interpreter, program string, env []string) error {
	if err := unix.CloseRange(lastFD+1, math.MaxUint32, unix.CLOSE_RANGE_CLOEXEC); err != nil {
		return fmt.Errorf("close descriptors: %w", err)
	}
	if err := raiseFiles(); err != nil {
		return err
	}
	if err := os.Mkdir(Root, 0o700); err != nil {
		return err
	}
	if err := unix.Mount("/", Root, "", unix.MS_BIND|unix.MS_REC, ""); err != nil {
		return fmt.Errorf("bind the root of boxes: %w", err)
	}
	for _, own := range []string{"/proc", "/dev/shm", "/tmp"} {
		if err := unix.Unmount(filepath.Join(Root, own), unix.MNT_DETACH); err != nil {
			return fmt.Errorf("unmount the template's %s: %w", own, err)
		}
	}
	argv := []string{"python3", "-s", "-B", "-c", prologue + program}
	return fmt.Errorf("exec %s: %w", interpreter, syscall.Exec(interpreter, argv, env))
}

// raiseFiles gives the interpreter as many descriptors as allowed. It keeps two for each box.
func raiseFiles() error {
	var limit syscall.Rlimit
	if err := syscall.Getrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("read the limit of open files: %w", err)
	}
	limit.Cur = limit.Max
	if err := syscall.Setrlimit(unix.RLIMIT_NOFILE, &limit); err != nil {
		return fmt.Errorf("raise the limit of open files: %w", err)
	}
	return nil
}
