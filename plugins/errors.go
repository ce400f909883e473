package plugins

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrLost means that the plugin process ended or broke the protocol during a call. The guest may or
// may not have run. The next call restarts the plugin.
var ErrLost = errors.New("sandbox plugin lost")

// ErrCut is an ErrLost whose connection to another machine or a container engine broke. The plugin
// itself still works.
var ErrCut error = cut{}

type cut struct{}

func (cut) Error() string { return "cut off from what the box ran on" }

func (cut) Is(target error) bool { return target == ErrLost }

// toRPC converts a backend's error for its host. fromRPC adds the prefix again.
func toRPC(err error) error {
	code, known := codes.Unknown, error(nil)
	switch {
	case errors.Is(err, ErrCut):
		code, known = codes.Aborted, ErrCut
	case errors.Is(err, ErrLost):
		code, known = codes.Unavailable, ErrLost
	default:
		return status.Error(code, err.Error())
	}
	return status.Error(code, strings.TrimPrefix(err.Error(), known.Error()+": "))
}

// fromRPC converts a gRPC error: ErrLost for a lost plugin, ErrCut for a cut connection, else the
// backend's text.
func fromRPC(err error) error {
	if err == nil {
		return nil
	}
	s, ok := status.FromError(err)
	if !ok {
		return fmt.Errorf("%w: %w", ErrLost, err)
	}
	switch s.Code() {
	case codes.Unknown, codes.InvalidArgument, codes.FailedPrecondition, codes.Unimplemented:
		return errors.New(s.Message())
	case codes.Aborted:
		return fmt.Errorf("%w: %s", ErrCut, s.Message())
	default:
		return fmt.Errorf("%w: %s", ErrLost, s.Message())
	}
}
