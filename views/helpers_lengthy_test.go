package views_test

import (
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	appaudit "github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/views/auditview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
)

func lengthyProfile() profileview.ProfilePage {
	p := profilePage(app.StateUnlocked)
	p.Profile.Description = "Quarterly reconciliation of payouts, refunds and chargebacks across every legal " +
		"entity of the group, for the finance committee and its external auditors"
	p.Keys[0].Key.Name = "LEDGER_DATABASE_CONNECTION_PASSWORD_FOR_THE_REPORTING_REPLICA_OF_THE_GROUP"
	p.Hosts[0].Host = host("reporting-replica-europe-west-3.internal.databases.a-company-with-a-long-name.example:5432")
	return p
}

// lengthyAudit has handles, hosts and actors of realistic length.
func lengthyAudit() auditview.Page {
	const handle = "vsw0g16xfk9kf32qhmrwvxqv3v"
	agent := app.Actor{Kind: app.ActorAgent, Name: handle, Address: "2001:db8:85a3:8d3:1319:8a2e:370:7348"}
	return auditview.Page{Shell: shell("Audit", layout.SectionAudit),
		Chain: appaudit.State{Through: 2, Whole: ago(time.Hour)}, Events: []auditview.Row{
			{URL: paths.ProfileURL(handle), Name: lengthyProfile().Profile.Description[:60],
				Who: "Agent of “Quarterly reconciliation of payouts, refunds and…” at 2001:db8:85a3:8d3:1319:8a2e:370:7348",
				Event: app.Event{Seq: 2, At: ago(14 * time.Minute), Actor: agent, Action: "profile.propose_hosts",
					Subject: handle,
					Detail: "the execution q6eahjdehchwynged6hjka38dr was refused " +
						strings.Repeat("exfil-of-all-the-things.", 4) +
						"example:443 at line 3; it stands as a request"}},
			{Who: "Somebody at 192.168.1.40", Name: "admin", Event: app.Event{Seq: 1, At: ago(15 * time.Minute), Actor: app.Actor{Kind: app.ActorAgent,
				Address: "192.168.1.40"},
				Action: "session.enroll", Subject: "admin", Detail: "showed a token; a name and a password come next"}},
		}}
}
