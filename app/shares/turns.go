package shares

import (
	"context"
	"slices"
	"sync"
)

// Turns are places that are waited for: names take turns, and those of one name come in the order
// in which they asked. A Turns is safe for concurrent use.
type Turns struct {
	waiting *Shares
	full    error

	mu     sync.Mutex
	places *Shares
	line   []*queue // of names that somebody waits for, the next first
}

// queue is who waits under one name, the longest first. Its channels are closed when a place was
// taken for them.
type queue struct {
	name    string
	waiters []chan struct{}
}

// NewTurns returns most turns, for which as many may wait as waiting has places, which may be there
// for other waits too. Who may not even wait gets the error full.
func NewTurns(most int, waiting *Shares, full error) *Turns {
	return &Turns{places: New(most), waiting: waiting, full: full}
}

// Take waits for a turn. It fails with ctx's cause, and with full if too many wait. Who has a turn
// must Give it.
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
	if !t.quit(name, turn) { // it came in the same moment
		t.places.Leave(name)
		t.admit()
	}
	return context.Cause(ctx)
}

// Give ends a turn.
func (t *Turns) Give(name string) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.places.Leave(name)
	t.admit()
}

// Taken is how many turns are.
func (t *Turns) Taken() int { return t.places.Taken() }

// ask takes a place if one is free and nobody of that name waits. Else it returns what to wait for,
// or why not.
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

// admit takes what is free for those who wait, one for each name and then the next. t.mu is held.
func (t *Turns) admit() {
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

// quit takes turn out of the line; false if it isn't there any more. t.mu is held.
func (t *Turns) quit(name string, turn chan struct{}) bool {
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
