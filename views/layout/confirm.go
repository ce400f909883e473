package layout

import (
	"github.com/computclaw/airlock/views/components"
)

// ConfirmPage asks before something that can't be undone.
type ConfirmPage struct {
	Shell
	Question string
	Lines    []string // what will happen, one per line
	Action   string   // URL of the form
	Button   string   // names the thing
	Back     string   // URL
	Typed    string   // what has to be typed first; "" for nothing
	Affected []Affected
	Blocked  bool // something in Affected comes first
	Problems components.Problems
}

// Affected is a profile that would be hit.
type Affected struct {
	Handle string
	Title  string
	How    string // its fate, or what has to be done first
}
