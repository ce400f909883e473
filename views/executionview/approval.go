package executionview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// ApprovalPage is a script to decide about, or its decision.
type ApprovalPage struct {
	layout.Shell
	Approval app.Approval
	Last     app.Approval // approved before for the same profile; its ID is "" if there is none
	Profile  string       // name
	Deadline time.Time    // when what waits ends
	Problems components.Problems
	Reason   string // as typed, after it was refused
}

// ApprovalsPage lists open approvals and decisions that still count.
type ApprovalsPage struct {
	layout.Shell
	Approvals []NamedApproval
}

// NamedApproval is an approval with its profile's name.
type NamedApproval struct {
	app.Approval
	Profile string
}
