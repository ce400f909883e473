package main

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"time"
)

// endedView is the part of an execution that measurements look at.
type endedView struct {
	ID      string          `json:"execution_id"`
	Status  string          `json:"status"`
	Error   string          `json:"error"`
	Result  json.RawMessage `json:"result"`
	Stdout  string          `json:"stdout"`
	Stderr  string          `json:"stderr"`
	Request *struct {
		Prompt string `json:"prompt"`
	} `json:"llm_request"`
}

// returned returns an error unless the execution completed with this result and printed nothing.
func (x endedView) returned(result string) error {
	if x.Status != "completed" || string(x.Result) != result || x.Error != "" || x.Stdout != "" || x.Stderr != "" {
		return fmt.Errorf("execution %s was to return %s, and is %s with %.200s %.200s %.200s %.200s", x.ID, result,
			x.Status,
			x.Result, x.Error, x.Stdout, x.Stderr)
	}
	return nil
}

// waitForStatus waits for an execution's status. Another end is an error, and so is a timeout.
func (b *benchmark) waitForStatus(
	ctx context.Context, id, status string, within time.Duration,
) (x endedView, err error) {
	for deadline := time.Now().Add(within); ctx.Err() == nil; {
		x = endedView{}
		if err := b.call(ctx, http.MethodGet, "/executions/"+id+"?wait=5", nil, &x); err != nil {
			return x, err
		}
		switch x.Status {
		case status:
			return x, nil
		case "completed", "error", "timeout", "cancelled":
			return x, fmt.Errorf("execution %s ended as %s: %s", id, x.Status, x.Error)
		}
		if time.Now().After(deadline) {
			return x, fmt.Errorf("execution %s is %s after %s, and was to be %s", id, x.Status, within, status)
		}
		time.Sleep(20 * time.Millisecond) // one that waits for the LLM answers at once
	}
	return x, ctx.Err()
}

// answerAll answers executions of parkedScript, each with an answer of its own, and waits for the
// results that follow from them.
func (b *benchmark) answerAll(ctx context.Context, ids []string) error {
	return b.each(ids, func(i int) error {
		answer := fmt.Sprintf("yes, number %d", i)
		if err := b.call(ctx, http.MethodPost, "/executions/"+ids[i]+"/respond", map[string]any{"response": answer},
			nil); err != nil {
			return err
		}
		x, err := b.waitForStatus(ctx, ids[i], "completed", parkedWithin)
		if err != nil {
			return err
		}
		return x.returned(fmt.Sprintf("[%q,499500]", answer))
	})
}

// parkedWithin is how long one of many executions has to begin to wait, and to end once it is
// answered.
const parkedWithin = 10 * time.Minute
