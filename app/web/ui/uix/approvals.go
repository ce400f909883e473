package uix

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

func approvalNeeds(open []app.Approval, profiles []app.Profile) (all []dashboardview.Need) {
	for _, a := range open {
		name := ProfileName(profiles, a.ProfileHandle)
		all = append(all, dashboardview.Need{
			Icon: "awaiting_approval", Title: "A script waits for your approval",
			Detail: name + " wants to run it. " + format.Count(int64(a.Waiting), "execution") + " waiting.",
			URL:    paths.ApprovalURL(a.ID), Action: "Review", At: a.AskedAt,
		})
	}
	return all
}
