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

func approvalWords(a app.Approval) string {
	switch a.State {
	case app.ApprovalOpen:
		return "Waits for your decision"
	case app.ApprovalApproved:
		if a.Scope == app.ApproveAlways {
			return "Approved always"
		}
		return "Approved for the next execution"
	case app.ApprovalUsed:
		return "Approved once"
	case app.ApprovalRefused:
		return "Refused"
	case app.ApprovalRevoked:
		return "Revoked"
	}
	return "Withdrawn: nobody waits any more"
}
