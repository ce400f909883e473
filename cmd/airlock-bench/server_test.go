package main

import (
	"errors"
	"testing"
)

// TestBadEndsAreSeen: a benchmark of a server that fails measures nothing.
func TestBadEndsAreSeen(t *testing.T) {
	if checkEnd(nil, `{"level":"INFO"}`) != nil || checkEnd(nil, `{"level":"ERROR"}`) == nil ||
		checkEnd(nil, "panic: x") == nil || checkEnd(errors.New("exit status 2"), "") == nil {
		t.Error("a server's bad end is not noticed, or a good one is")
	}
}
