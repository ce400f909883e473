package executions

import (
	"context"
	"sync"
)

// Controller stops executions, answers their questions, and ends those of dead processes.
type Controller struct {
	cfg    Config
	reader *Reader

	ctx        context.Context // ends when Stop is called
	cancel     context.CancelFunc
	background sync.WaitGroup
}

func newController(cfg Config, reader *Reader) *Controller {
	ctx, cancel := context.WithCancel(context.Background())
	return &Controller{cfg: cfg, reader: reader, ctx: ctx, cancel: cancel}
}

// Stop ends the work in the background. Wait must follow.
func (c *Controller) Stop() { c.cancel() }

// Wait returns when no work is left in the background.
func (c *Controller) Wait() { c.background.Wait() }
