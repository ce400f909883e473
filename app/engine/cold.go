package engine

import (
	"time"

	"github.com/computclaw/airlock/app"
)

// coldPatience is how long an execution that has a run slot waits for a box to open before it gives the slot away: longer than a box takes on a host that is
// well, because opening one takes the processor, and slots are what bounds that.
const coldPatience = time.Second

// class names boxes of one kind, whichever proof they were opened under.
type class struct{ backend, image string }

// take hands out a box of the class. If none opens within coldPatience the run gives its slot away while it waits, or at once if others of the class have done so
// and still wait; with a box it has a slot again. So a host that doesn't answer holds no slots that others could use, and what was claimed
// for it stays bounded: see crowded.
func (r *run) take(in *backend, image string) (b *box, warm bool, err error) {
	of := class{in.name, image}
	patience := coldPatience
	if !r.holdsSlot() || r.e.parked(of) > 0 {
		patience = 0
	}
	b, warm, err = in.class(image).take(r.ctx, patience, func() { r.park(of) })
	if err != nil || r.holdsSlot() {
		return b, warm, err
	}
	if err := r.regainSlot(r.ctx); err != nil {
		b.close()
		return nil, false, err
	}
	return b, warm, nil
}

// park gives the run slot away until a box of the class has come. The run counts as parked from then on until unpark, also between tries.
func (r *run) park(of class) {
	if !r.holdsSlot() {
		return
	}
	r.e.mu.Lock()
	r.e.cold[of]++
	r.e.mu.Unlock()
	r.waitsFor = of
	r.releaseSlot()
}

// unpark is called when the run has a box and a slot, or never will.
func (r *run) unpark() {
	of := r.waitsFor
	if of == (class{}) {
		return
	}
	r.waitsFor = class{}
	r.e.mu.Lock()
	if r.e.cold[of]--; r.e.cold[of] == 0 {
		delete(r.e.cold, of)
	}
	r.e.mu.Unlock()
	r.e.wakeUp() // for those that claim left where they were
}

// parked is how many executions wait for a box of the class without a slot.
func (e *Engine) parked(of class) int {
	e.mu.Lock()
	defer e.mu.Unlock()
	return e.cold[of]
}

// crowded reports whether so many executions wait for a box of the class that would be p's that no more are claimed for it: they keep their place in the queue.
// What was claimed before, with a slot each, can still join them, so that there are never more than twice as many as there are slots. e.mu is held.
func (e *Engine) crowded(p app.Placement) bool {
	c, _, _ := e.fits(p)
	return c != nil && e.cold[class{c.Name, p.Image}] >= e.cfg.Workers
}

// anyCrowded reports whether crowded is true of something. e.mu is held.
func (e *Engine) anyCrowded() bool {
	for _, n := range e.cold {
		if n >= e.cfg.Workers {
			return true
		}
	}
	return false
}

// opening is how many executions wait for a box without a slot. e.mu is held.
func (e *Engine) opening() (n int) {
	for _, parked := range e.cold {
		n += parked
	}
	return n
}
