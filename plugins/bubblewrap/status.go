package bubblewrap

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"sync"
	"time"
)

// status reports how PID 1 of a box ended, from bwrap or a template. The box can't reach this pipe.
type status struct {
	file     *os.File
	docs     *json.Decoder
	exitCode func() *int // waits for it; nil if the box was never set up, or killed with what reports
}

type event struct {
	ExitCode *int `json:"exit-code"`
	Ready    bool `json:"ready"` // of a template only: its PID 1 is about to run
}

func newStatus(file *os.File) *status {
	s := &status{file: file, docs: json.NewDecoder(file)}
	s.exitCode = sync.OnceValue(func() *int {
		for {
			var e event
			if s.docs.Decode(&e) != nil || e.ExitCode != nil {
				return e.ExitCode
			}
		}
	})
	return s
}

// waitReady waits until the box runs, for readyWithin at most. It comes before exitCode.
func (s *status) waitReady(ctx context.Context) error {
	if err := s.file.SetReadDeadline(time.Now().Add(readyWithin)); err != nil {
		return err
	}
	stop := context.AfterFunc(ctx, func() { _ = s.file.SetReadDeadline(time.Now()) })
	var e event
	err := s.docs.Decode(&e)
	if !stop() {
		return context.Cause(ctx)
	}
	switch {
	case err != nil:
		return err
	case !e.Ready:
		return errors.New("the box ended before its first process")
	}
	return s.file.SetReadDeadline(time.Time{})
}
