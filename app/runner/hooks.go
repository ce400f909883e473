package runner

import "context"

// Hook is one subject that accompanies an execution, with its own state.
type Hook interface {
	// Before prepares the subject before a box is acquired. An error ends the execution with its
	// script unsent.
	Before(ctx context.Context, b *Binding) error

	// After undoes Before, once the script has ended or will never be sent. It is called if Before
	// was, even if that failed, and may add to what is known about the end.
	After(e *ending)
}

// hooks runs its list in order before the script, and undoes it in reverse.
type hooks struct {
	list  []Hook
	begun int
}

func (h *hooks) before(ctx context.Context, b *Binding) error {
	for _, one := range h.list {
		h.begun++
		if err := one.Before(ctx, b); err != nil {
			return err
		}
	}
	return nil
}

func (h *hooks) after(e *ending) {
	for ; h.begun > 0; h.begun-- {
		h.list[h.begun-1].After(e)
	}
}
