package engine

import "context"

// lock is a mutex that one may give up waiting for: whoever holds it may wait for the store's writer, which an import keeps for minutes.
type lock chan struct{}

func newLock() lock { return make(lock, 1) }

func (l lock) Lock()   { l <- struct{}{} }
func (l lock) Unlock() { <-l }

// LockWithin returns ctx's error if that ended first; then the lock is not held.
func (l lock) LockWithin(ctx context.Context) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	select {
	case l <- struct{}{}:
		return nil
	case <-ctx.Done():
		return context.Cause(ctx)
	}
}
