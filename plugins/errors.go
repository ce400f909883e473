package plugins

import (
	"errors"
	"fmt"

	"google.golang.org/grpc/codes"
	"google.golang.org/grpc/status"
)

// ErrLost says that the plugin process ended, or broke the protocol, while a call was under way. The guest may or may not have
// run. The next call starts the plugin again.
var ErrLost = errors.New("sandbox plugin lost")

// fromRPC turns a gRPC error into a plain one: ErrLost where the plugin is gone, else the backend's own words.
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
	default:
		return fmt.Errorf("%w: %s", ErrLost, s.Message())
	}
}
