package main

import (
	"context"
	"fmt"
	"net/http"
	"strings"
)

// overloadWaiters is how many executions may wait for an answer at once; all places that profiles get are taken.
const overloadWaiters = 200

// park lets executions of the other profiles wait for an answer, by turns, until each profile has been refused a place.
func (o *overload) park(ctx context.Context) error {
	for full := map[string]bool{}; len(full) < len(o.others); {
		for _, profile := range o.others {
			if full[profile] {
				continue
			}
			id, waits, err := o.parkOne(ctx, profile)
			if err != nil {
				return err
			}
			if !waits {
				full[profile] = true
				continue
			}
			o.parked = append(o.parked, id)
		}
	}
	return nil
}

// parkOne submits a script that asks; false if it was told that too many wait.
func (o *overload) parkOne(ctx context.Context, profile string) (id string, waits bool, err error) {
	var x struct {
		ID     string `json:"execution_id"`
		Status string `json:"status"`
		Error  string `json:"error"`
	}
	if err := o.call(ctx, http.MethodPost, "/execute?wait=50", map[string]any{"profile_id": profile, "script": parkedScript}, &x); err != nil {
		return "", false, err
	}
	switch {
	case x.Status == "awaiting_llm":
		return x.ID, true, nil
	case x.Status == "error" && strings.Contains(x.Error, "wait for an answer already"):
		return x.ID, false, nil
	}
	return "", false, fmt.Errorf("execution %s was to wait for an answer and is %s: %s", x.ID, x.Status, x.Error)
}

// answerParked answers all that wait, while everything else goes on; each has to end well.
func (o *overload) answerParked(ctx context.Context) error {
	return o.each(o.parked, func(i int) error {
		if err := o.call(ctx, http.MethodPost, "/executions/"+o.parked[i]+"/respond", map[string]any{"response": "yes"}, nil); err != nil {
			return err
		}
		return o.until(ctx, o.parked[i], "completed")
	})
}
