package plugins

import (
	"errors"
	"fmt"
	"strings"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrLost says that the plugin process ended or broke the protocol during a call. The guest may or
// may not have run. The next call starts the plugin again.
var ErrLost = errors.New("sandbox plugin lost")

// ErrCut is an ErrLost whose connection to another machine or a container engine broke. The plugin
// is fine.
var ErrCut error = cut{}

type cut struct{}

func (cut) Error() string { return "cut off from what the box ran on" }

func (cut) Is(target error) bool { return target == ErrLost }

// toRPC is a backend's error as its host gets it. The other side adds the first words again.
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

// fromRPC turns a gRPC error into a plain one: ErrLost where the plugin is gone, ErrCut where the
// backend says so, else the backend's own words.
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
