package bubblewrap

import (
	"fmt"
	"os"
)

// guestName is the name of the memory file with the guest.
const guestName = "airlock-init"

// maxPipe is what a fresh pipe holds on every kernel.
const maxPipe = 64 << 10

// filled returns the read end of a pipe that holds data and is at its end after it. Unlike a memory
// file it can be handed to a process that reads from "the current position" without sharing that
// position with others.
func filled(data []byte) (*os.File, error) {
	if len(data) > maxPipe {
		return nil, fmt.Errorf("%d bytes do not fit into a pipe", len(data))
	}
	r, w, err := os.Pipe()
	if err != nil {
		return nil, err
	}
	_, err = w.Write(data)
	if err = firstError(err, w.Close()); err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

func firstError(errs ...error) error {
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return nil
}
