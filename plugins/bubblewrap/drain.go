package bubblewrap

import (
	"errors"
	"time"
)

// drainTime bounds how long killed processes may take to go away. Later ones, in an uninterruptible
// wait, make their box lost.
const drainTime = 15 * time.Second

// drain kills a group until it's empty and removes it. A fork may slip past one round.
func drain(g group) error {
	deadline := time.Now().Add(drainTime)
	for pause := time.Millisecond; ; pause = min(2*pause, 50*time.Millisecond) {
		empty, err := g.empty()
		if err != nil {
			return err
		}
		if empty {
			// A directory can be busy for a moment after its last process is gone.
			if err = g.remove(); err == nil {
				return nil
			}
		} else if err = g.kill(); err == nil {
			err = errors.New("processes survive")
		}
		if time.Now().After(deadline) {
			return err
		}
		time.Sleep(pause)
	}
}
