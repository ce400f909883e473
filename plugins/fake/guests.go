package fake

import (
	"context"
	"io"

	"github.com/computclaw/airlock/plugins"
)

// Exit ends at once with code.
func Exit(code int) Guest {
	return func(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
		return plugins.Exit{Code: code, Reason: plugins.ReasonExit}, nil
	}
}

// OOM runs out of memory at once.
func OOM() Guest {
	return func(_ context.Context, spec plugins.Spec, _ io.Reader, _ io.Writer) (plugins.Exit, error) {
		return plugins.Exit{Code: -1, Signal: 9, Reason: plugins.ReasonOOM, PeakMemory: spec.Limits.Memory}, nil
	}
}

// LoseBox is a backend that loses the box at once.
func LoseBox() Guest {
	return func(context.Context, plugins.Spec, io.Reader, io.Writer) (plugins.Exit, error) {
		return plugins.Exit{}, plugins.ErrLost
	}
}

// Hang does nothing until it's killed.
func Hang() Guest {
	return func(ctx context.Context, _ plugins.Spec, _ io.Reader, _ io.Writer) (plugins.Exit, error) {
		<-ctx.Done()
		return plugins.Exit{}, ctx.Err()
	}
}

// Garbage writes data and then behaves like next.
func Garbage(data []byte, next Guest) Guest {
	return func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
		if _, err := stdout.Write(data); err != nil {
			return plugins.Exit{}, err
		}
		return next(ctx, spec, stdin, stdout)
	}
}

// After waits until gate is closed and then behaves like next.
func After(gate <-chan struct{}, next Guest) Guest {
	return func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
		select {
		case <-gate:
			return next(ctx, spec, stdin, stdout)
		case <-ctx.Done():
			return plugins.Exit{}, ctx.Err()
		}
	}
}

// InTurn runs each guest in one box, in order. The last one serves all later boxes.
func InTurn(guests ...Guest) Guest {
	turns := make(chan Guest, len(guests))
	for _, g := range guests[:len(guests)-1] {
		turns <- g
	}
	last := guests[len(guests)-1]
	return func(ctx context.Context, spec plugins.Spec, stdin io.Reader, stdout io.Writer) (plugins.Exit, error) {
		select {
		case g := <-turns:
			return g(ctx, spec, stdin, stdout)
		default:
			return last(ctx, spec, stdin, stdout)
		}
	}
}
