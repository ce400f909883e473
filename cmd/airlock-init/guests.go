package main

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"

	"golang.org/x/sys/unix"

	"github.com/computclaw/airlock/plugins/fdlink"
	"github.com/computclaw/airlock/plugins/template"
)

// guestsFD is the descriptor that boxes come from.
const guestsFD = 4

// serveGuests serves a template's boxes from outside. It has no more rights than they.
func serveGuests() error {
	if err := unix.Prctl(unix.PR_SET_DUMPABLE, 0, 0, 0, 0); err != nil {
		return fmt.Errorf("set non-dumpable: %w", err)
	}
	if err := harden(); err != nil {
		return err
	}
	debug.SetGCPercent(400) // each box leaves a megabyte of garbage
	unix.CloseOnExec(guestsFD)
	boxes, err := fdlink.Open(os.NewFile(guestsFD, "boxes"))
	if err != nil {
		return err
	}
	p := &preload{template: boxes}
	for {
		fds, err := boxes.Receive(&template.Box{})
		if errors.Is(err, fdlink.ErrCut) {
			continue // that box can't begin; the others go on
		}
		if err != nil {
			return nil // the template ended
		}
		if len(fds) != 4 {
			return fmt.Errorf("a box with %d descriptors", len(fds))
		}
		go serveForked(p, fds[0], fds[1], os.NewFile(uintptr(fds[2]), "stderr"), os.NewFile(uintptr(fds[3]), "box"))
	}
}
