package bubblewrap

import (
	"encoding/json"
	"io"
)

// status is what bwrap reports about a box: where its PID 1 is, and how that ended. ExitCode is absent if the box was never
// set up, or if bwrap was killed first.
type status struct {
	ChildPID int  `json:"child-pid"`
	ExitCode *int `json:"exit-code"`
}

// readStatus calls started with PID 1's number as seen from here, and returns the exit code, or nil if none was reported.
// bwrap writes one JSON document per event. What is in the box can't reach this pipe.
func readStatus(r io.Reader, started func(pid int)) *int {
	docs := json.NewDecoder(r)
	for {
		var s status
		if docs.Decode(&s) != nil {
			return nil
		}
		if s.ChildPID > 0 {
			started(s.ChildPID)
		}
		if s.ExitCode != nil {
			return s.ExitCode
		}
	}
}
