package guest

import (
	"errors"
	"fmt"
)

// ErrLost means that the pipe ended before the guest reported the script's end. The backend's Exit
// tells why.
var ErrLost = errors.New("the box ended without saying how")

// ErrNotStarted is wrapped by Run's error if the script certainly did not leave this process.
// Another box may run it.
var ErrNotStarted = errors.New("the script was not started")

// ErrUsed means that the session has run its one script.
var ErrUsed = errors.New("the session was used already")

// ErrNotFrozen means that the box could not be frozen or resumed, by its own report.
var ErrNotFrozen = errors.New("the box could not be frozen")

// ProtocolError means that the box broke the protocol. Its text contains nothing from the box.
type ProtocolError struct {
	Problem string
}

func (e *ProtocolError) Error() string {
	return "the box broke the protocol: " + e.Problem
}

func violation(format string, args ...any) error {
	return &ProtocolError{Problem: fmt.Sprintf(format, args...)}
}
