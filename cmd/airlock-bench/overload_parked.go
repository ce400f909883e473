package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// overloadWaiters is how many executions may wait for an answer at once; all places that profiles
// get are taken.
const overloadWaiters = 200

// park lets executions of the other profiles wait for an answer, by turns, until each profile has
// been refused a place.
func (o *overload) park(ctx context.Context) error {
	for full := map[string]bool{}; len(full) < len(o.neighbours); {
		for _, n := range o.neighbours {
			if full[n.profile] {
				continue
			}
			id, waits, err := o.parkOne(ctx, n.profile)
			if err != nil {
				return err
			}
			if !waits {
				full[n.profile] = true
				continue
			}
			o.parked = append(o.parked, id)
		}
	}
	// Somebody else always finds a place, so a few stay free.
	if len(o.parked) < overloadWaiters*9/10 || len(o.parked) > overloadWaiters {
		return fmt.Errorf("%d executions of %d profiles could wait for an answer, of %d places", len(o.parked),
			len(o.neighbours), overloadWaiters)
	}
	return nil
}

// parkOne submits a script that asks; false if it was told that too many wait.
func (o *overload) parkOne(ctx context.Context, profile string) (id string, waits bool, err error) {
	var x endedView
	if err := o.call(ctx, http.MethodPost, "/execute?wait=50",
		map[string]any{"profile_id": profile, "script": parkedScript}, &x); err != nil {
		return "", false, err
	}
	switch {
	case x.Status == "awaiting_llm" && x.Request != nil && x.Request.Prompt == "go on?":
		return x.ID, true, nil
	case x.Status == "error" && strings.Contains(x.Error, "wait for an answer already"):
		return x.ID, false, nil
	}
	return "", false, fmt.Errorf("execution %s was to wait for an answer and is %s: %s", x.ID, x.Status, x.Error)
}

// answerParked answers all that wait, while everything else goes on; each has to return what it was
// answered.
func (o *overload) answerParked(ctx context.Context) error { return o.answerAll(ctx, o.parked) }
