package backups

import (
	"context"
	"errors"
	"fmt"
	"io"
	"time"
)

const silence = 5 * time.Minute

type readCloser struct {
	io.Reader
	io.Closer
}

type reading struct {
	io.Reader
	watch func()
}

func (r reading) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	r.watch()
	return n, err
}

// Seek lets the storage send a part again.
func (r reading) Seek(offset int64, whence int) (int64, error) {
	if s, ok := r.Reader.(io.Seeker); ok {
		return s.Seek(offset, whence)
	}
	return 0, errors.ErrUnsupported
}

// untilEnd stops the watchdog at the end of the reader. Later work isn't the storage's and may take
// long.
type untilEnd struct {
	io.Reader
	dog *watchdog
}

func (u untilEnd) Read(p []byte) (int, error) {
	n, err := u.Reader.Read(p)
	if errors.Is(err, io.EOF) {
		u.dog.timer.Stop()
	}
	return n, err
}

type watchdog struct {
	quiet  time.Duration
	timer  *time.Timer
	cancel context.CancelCauseFunc
}

func watched(ctx context.Context, quiet time.Duration) (context.Context, *watchdog) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(quiet, func() { cancel(fmt.Errorf("the storage was silent for %s", quiet)) })
	return ctx, &watchdog{quiet, timer, cancel}
}

func (w *watchdog) feed() { w.timer.Reset(w.quiet) }

func (w *watchdog) stop() {
	w.timer.Stop()
	w.cancel(nil)
}
