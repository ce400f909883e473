package views_test

import (
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/layout"
)

const askedScript = "import httpx\n\n# Revenue of the month, by region.\nkey = settings.get('ORACLE_PASSWORD')\n" +
	"rows = httpx.get('https://simphony.example.com/revenue', params={'month': inputs['month']}, headers={'Authorization': key}).json()\n" +
	"set_result({r['region']: r['amount'] for r in rows})\n"

func sampleApproval(state app.ApprovalState) executionview.ApprovalPage {
	a := app.Approval{ID: "w4e5r6t7y8u9", Kind: app.ApprovalScript, Subject: strings.Repeat("4f9a", 16), Shown: askedScript,
		ProfileHandle: "h1b2c3d4e5f6", Execution: "q1w2e3r4t5y6", State: state, AskedAt: ago(42 * time.Minute), Waiting: 2}
	last := a
	last.ID, last.State, last.Scope = "a1s2d3f4g5h6", app.ApprovalApproved, app.ApproveAlways
	last.Shown = strings.Replace(askedScript, "r['amount']", "round(r['amount'], 2)", 1)
	return executionview.ApprovalPage{Shell: shell("Approval", layout.SectionInbox), Approval: a, Last: last,
		Profile: "Monthly revenue report from Oracle", Deadline: ago(-23 * time.Hour)}
}

func refusedApproval() executionview.ApprovalPage {
	p := sampleApproval(app.ApprovalRefused)
	p.Approval.Reason, p.Approval.DecidedAt = "Read the month from the warehouse, not from the till.", ago(30*time.Minute)
	p.Approval.DecidedBy = app.Actor{Kind: app.ActorPerson, Name: "Ada Lovelace"}
	return p
}

func wrongApproval() executionview.ApprovalPage {
	p := sampleApproval(app.ApprovalOpen)
	p.Last = app.Approval{}
	p.Problems = components.Problems{"reason": "The reason is empty. Say what the agent should do instead."}
	return p
}

// hostileApproval holds an agent's attempts to mislead the person who decides.
func hostileApproval() executionview.ApprovalPage {
	p := sampleApproval(app.ApprovalOpen)
	p.Profile = falseReason
	p.Approval.Shown = "a = 1 # \u202e\u2066harmless\u2069\n" + strings.Repeat("x", 3000) + "\n<script>alert(1)</script>\n"
	return p
}

func sampleApprovals() executionview.ApprovalsPage {
	page := executionview.ApprovalsPage{Shell: shell("Approvals", layout.SectionInbox)}
	for _, state := range []app.ApprovalState{app.ApprovalOpen, app.ApprovalApproved, app.ApprovalRefused} {
		p := sampleApproval(state)
		p.Approval.Scope = map[app.ApprovalState]app.ApprovalScope{app.ApprovalApproved: app.ApproveAlways}[state]
		page.Approvals = append(page.Approvals, executionview.NamedApproval{Approval: p.Approval, Profile: p.Profile})
	}
	return page
}
