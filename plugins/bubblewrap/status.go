package bubblewrap

import (
	"encoding/json"
	"io"
)

// status is what bwrap reports about a box: how its PID 1 ended. ExitCode is absent if the box was
// never set up, or if bwrap was killed first.
type status struct {
	ExitCode *int `json:"exit-code"`
}

// readStatus returns the exit code, or nil if none was reported. bwrap writes one JSON document per
// event. What is in the box can't reach this pipe.
func readStatus(r io.Reader) *int {
	docs := json.NewDecoder(r)
	for {
		var s status
		if docs.Decode(&s) != nil {
			return nil
		}
		if s.ExitCode != nil {
			return s.ExitCode
		}
	}
}
