package shares

import (
	"context"
	"slices"
	"sync"
	"time"
)

// Turns are places to wait for. Names take turns; callers of one name are served in order. Safe for
// concurrent use.
type Turns struct {
	waiting *Shares
	full    error

	mu     sync.Mutex
	places *Shares
	line   []*queue // of names that somebody waits for, the next first
}

// queue holds a name's waiters, oldest first. A waiter's channel closes when it has a place.
type queue struct {
	name    string
	waiters []chan struct{}
}

// NewTurns returns most turns. Callers wait in waiting, which other Turns may share. Without room
// there they get full.
func NewTurns(most int, waiting *Shares, full error) *Turns {
	return &Turns{places: New(most), waiting: waiting, full: full}
}

// Take waits for a turn, to be returned by Give. Errors: the cause of ctx, and full.
func (t *Turns) Take(ctx context.Context, name string) error {
	turn, err := t.ask(name)
	if turn == nil {
		return err
	}
	defer t.waiting.Leave(name)
	select {
	case <-turn:
		return nil
	case <-ctx.Done():
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if !t.quitLocked(name, turn) { // it came in the same moment
		t.places.Leave(name)
		t.admitLocked()
	}
	return context.Cause(ctx)
}

// TakeWithin waits for a turn, and gets full after a time. The caller must call give.
func (t *Turns) TakeWithin(ctx context.Context, name string, wait time.Duration) (give func(), err error) {
	ctx, cancel := context.WithTimeoutCause(ctx, wait, t.full)
	defer cancel()
	if err := t.Take(ctx, name); err != nil {
		return nil, err
	}
	return sync.OnceFunc(func() { t.Give(name) }), nil
}

// Give ends a turn.
func (t *Turns) Give(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.places.Leave(name)
	t.admitLocked()
}

// Taken returns how many turns are taken.
func (t *Turns) Taken() int { return t.places.Taken() }

// ask takes a free place (turn is nil) unless the name has waiters. Otherwise it returns the turn
// to wait for, or full.
func (t *Turns) ask(name string) (turn chan struct{}, err error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	i := slices.IndexFunc(t.line, func(q *queue) bool { return q.name == name })
	if i < 0 && t.places.Enter(name) {
		return nil, nil
	}
	if !t.waiting.Enter(name) {
		return nil, t.full
	}
	if i < 0 {
		i, t.line = len(t.line), append(t.line, &queue{name: name})
	}
	turn = make(chan struct{})
	t.line[i].waiters = append(t.line[i].waiters, turn)
	return turn, nil
}

// admitLocked gives free places to waiters, one a name in turn.
func (t *Turns) admitLocked() {
	for i := 0; i < len(t.line); {
		q := t.line[i]
		if !t.places.Enter(q.name) {
			i++
			continue
		}
		close(q.waiters[0])
		q.waiters = q.waiters[1:]
		t.line = slices.Delete(t.line, i, i+1)
		if len(q.waiters) > 0 {
			t.line = append(t.line, q)
		}
	}
}

// quitLocked takes turn out of the line, or reports false if it has left.
func (t *Turns) quitLocked(name string, turn chan struct{}) bool {
	for i, q := range t.line {
		at := slices.Index(q.waiters, turn)
		if q.name != name || at < 0 {
			continue
		}
		if q.waiters = slices.Delete(q.waiters, at, at+1); len(q.waiters) == 0 {
			t.line = slices.Delete(t.line, i, i+1)
		}
		return true
	}
	return false
}
