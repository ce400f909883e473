package plugins

import (
	"fmt"
	"regexp"
	"sync"
)

// label is what may become part of a directory's, control group's or container's name.
var label = regexp.MustCompile(`^[A-Za-z0-9-]+$`)

// IsLabel reports whether an id has only letters, digits and dashes, at most 128. It may then
// become part of a name.
func IsLabel(s string) bool { return len(s) <= 128 && label.MatchString(s) }

// Boxes are the open boxes of a backend by id, with its values. The zero value is empty. Safe for
// concurrent use.
type Boxes[T any] struct {
	mu   sync.Mutex
	open map[string]T
}

// Enter opens a box until Leave. It refuses ids in use and those that are no labels.
func (b *Boxes[T]) Enter(id string, box T) error {
	if !IsLabel(id) {
		return fmt.Errorf("box id %q: letters, digits and dashes only", id)
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if _, used := b.open[id]; used {
		return fmt.Errorf("box id %q is in use", id)
	}
	if b.open == nil {
		b.open = map[string]T{}
	}
	b.open[id] = box
	return nil
}

// Leave gives the id back.
func (b *Boxes[T]) Leave(id string) {
	b.mu.Lock()
	defer b.mu.Unlock()
	delete(b.open, id)
}

// Get returns the value of an open box.
func (b *Boxes[T]) Get(id string) (box T, open bool) {
	b.mu.Lock()
	defer b.mu.Unlock()
	box, open = b.open[id]
	return box, open
}

// IsOpen reports whether a box with that id is open.
func (b *Boxes[T]) IsOpen(id string) bool {
	_, open := b.Get(id)
	return open
}
