package executionview

import (
	"github.com/computclaw/airlock/app"
)

// PrintPage is an execution on paper: everything unfolded, exact times, the audit log's entries.
type PrintPage struct {
	ExecutionPage
	Events  []app.Event
	Broken  int64  // first entry of the audit log at which its chain of hashes breaks; 0 if it holds
	Through int64  // last entry through which the chain holds
	By      string // who printed it
}
