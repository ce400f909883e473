package docker

import (
	"context"
	"fmt"
	"sync"
	"time"
)

// maxBehind is how many ended containers may wait for removal. Beyond it, their boxes wait too.
const maxBehind = 16

// remover removes containers of boxes that have ended. The zero value is not usable.
type remover struct {
	slots chan struct{}
	wg    sync.WaitGroup
}

func newRemover() *remover { return &remover{slots: make(chan struct{}, maxBehind)} }

// removeInBackground removes a container without processes while its Run returns. Removing the
// engine's record is the slowest part of an end.
func (c *remover) removeInBackground(ctx context.Context, h *host, name string) {
	c.slots <- struct{}{}
	c.wg.Go(func() {
		defer func() { <-c.slots }()
		_ = h.removeBox(ctx, name) // tried again until it works
	})
}

// wait returns when nothing is left to remove, or the time is over.
func (c *remover) wait(limit time.Duration) {
	done := make(chan struct{})
	go func() {
		c.wg.Wait()
		close(done)
	}()
	select {
	case <-done:
	case <-time.After(limit):
	}
}

// removeBox kills and removes a box's container. If the engine doesn't answer, it retries in the
// background while this process lives. The next Check sweeps the rest.
func (h *host) removeBox(ctx context.Context, name string) error {
	err := h.remove(ctx, name)
	if err == nil {
		return nil
	}
	go func() {
		for wait := time.Second; h.remove(ctx, name) != nil; wait = min(2*wait, 30*time.Second) {
			time.Sleep(wait)
		}
	}()
	return fmt.Errorf("container %s may be left until the engine answers again: %w", name, explain(err))
}
