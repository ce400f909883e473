package views_test

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/patterns"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
	"github.com/computclaw/airlock/views/settingsview"
	"github.com/computclaw/airlock/views/skillview"
)

// lateSamples are rare: dangling references, a failing Vault, confirmations.
func lateSamples() []sample {
	// A locked profile: a host behind a plain key, one behind a missing key, a request with a
	// dangling reference.
	nameless := profilePage(app.StateLocked)
	behind, gone := host("{ORACLE_DSN}:1521"), host("{NO_SUCH_KEY}:443")
	nameless.Allowed = []app.Host{behind, gone, host("simphony.example.com")}
	nameless.Hosts = []profileview.HostForm{
		hostForm(behind, "The reporting database.", true, time.Time{}), hostForm(gone, "", true, time.Time{}),
		hostForm(host("{ORACLE_PASSWORD}:443"), "Rates of the day.", false, ago(time.Hour)),
		hostForm(host("simphony.example.com"), "", true, time.Time{}),
	}
	nameless.Granted[1].Names = "reporting.corp.example.com"
	asked := profilePage(app.StateUnlocked)
	asked.Hosts = append(asked.Hosts, hostForm(behind, "The reporting database.", false, time.Time{}),
		hostForm(gone, "Whatever it names.", false, time.Time{}))

	lock := sampleProfile(app.StateLocked)
	lock.Hosts = append(lock.Hosts, app.HostRequest{Host: host("telemetry.example.net")},
		app.HostRequest{Host: host("*.a-rather-long-name-of-a-department.example.org:8443")})
	for i := range 2 {
		lock.Hosts[i].Allowed = true
	}
	plain := sampleGrants(lock.Keys)
	plain[1].Names = "reporting.corp.example.com"
	locking := profileview.LockPage{Shell: shell("Lock", layout.SectionProfiles), Profile: lock, Granted: plain,
		Allowed: []app.Host{behind, host("simphony.example.com")}}

	stored := credentialview.CredentialPage{Shell: shell("ORACLE_PASSWORD", layout.SectionCredentials),
		Credential: sampleCredentials()[1], Hosts: "oracle.corp.example.com:1521", OffersVault: true,
		Typed: app.Credential{Mode: app.ModeInjected, Source: app.SourceVault, Reference: "secret/data/oracle#password"},
		Problems: components.Problems{"erase": "Airlock holds a value of ORACLE_PASSWORD, and a reference to " +
			"Vault replaces it. If Vault has the value, tick Erase the value that Airlock holds."}}
	unresolved := credentialview.ListPage{Shell: shell("Credentials", layout.SectionCredentials),
		Credentials: sampleCredentials()}
	unresolved.Warns = true
	unresolved.Notice = "The credential was saved, but its reference does not resolve in Vault now: executions that " +
		"need it fail. Its page says why."
	unresolved.Credentials[1].Source = app.SourceVault

	leading := credentialview.CredentialPage{Shell: shell("DB_HOST", layout.SectionCredentials),
		Credential: app.Credential{ID: "9", Name: "DB_HOST", Mode: app.ModePlain, Version: 2, ValueSetAt: ago(time.Hour),
			Profiles: 2},
		Typed:   app.Credential{Mode: app.ModePlain},
		Reached: `The locked profiles "Monthly revenue report from Oracle" and "Nightly stock check" reach db.corp.example through its value.`}

	failing := dashboardview.InboxPage{Shell: shell("Inbox", layout.SectionInbox),
		Needs: append([]dashboardview.Need{{Icon: "key", Title: "Vault isn't working",
			Detail: "Vault is sealed. Executions that need a value from it end in an error.",
			URL:    paths.SettingsInstance + "#vault", Action: "See Vault", At: ago(12 * time.Minute)}}, sampleNeeds()[1:]...)}
	rules := sampleSettings()
	rules.Rules = []patterns.Entry{{Name: "private-key",
		About: "private keys in PEM, OpenSSH and PGP armour, with or without their end"},
		{Name: "jwt", About: "JSON web tokens", Off: true}, {Name: "acme-badge-number", About: "badges of Acme",
			Own: true},
		{Name: "acme-old", About: "badges of Acme from before 2020", Own: true, Off: true}}

	ending := func(title, typed string, lines ...string) layout.ConfirmPage {
		return layout.ConfirmPage{Shell: shell(title, layout.SectionProfiles), Question: title + "?", Lines: lines,
			Action: "/ui/x", Button: title, Back: paths.Profiles, Typed: typed}
	}
	profile := ending("Delete Monthly revenue report from Oracle", "Monthly revenue report from Oracle",
		"Running scripts are stopped at once and their connections closed.",
		"The profile disappears with its keys and hosts. The credentials stay.",
		"This can't be undone. What it ran stays in the list of executions.")
	profile.Problems = components.Problems{"typed": "That is not its name. Type Monthly revenue report from Oracle if " +
		"you mean it."}
	person := ending("Remove Grace Hopper", "Grace Hopper",
		"Their sessions end at once, and their password stops working.",
		"What they did stays in the audit log. They can be invited again.")
	person.Section = layout.SectionSettings
	return []sample{
		{"late-profile-references", profileview.Profile(nameless), false},
		{"late-profile-references-asked", profileview.Profile(asked), false},
		{"late-profile-lock", profileview.Lock(locking), false},
		{"late-credential-erase", credentialview.Credential(stored), false},
		{"late-credential-leading", credentialview.Credential(leading), false},
		{"late-credentials-unresolved", credentialview.List(unresolved), false},
		{"late-inbox-vault", dashboardview.Inbox(failing), false},
		{"late-settings-rules", settingsview.Settings(settingsAt(rules, paths.SettingsInstance)), false},
		{"late-profile-delete", layout.Confirm(profile), false},
		{"late-person-remove", layout.Confirm(person), false},
		{"approvals", executionview.Approvals(sampleApprovals()), false},
		{"approvals-none", executionview.Approvals(executionview.ApprovalsPage{
			Shell: shell("Approvals", layout.SectionInbox)}), false},
		{"approval-open", executionview.Approval(sampleApproval(app.ApprovalOpen)), false},
		{"approval-refused", executionview.Approval(refusedApproval()), false},
		{"approval-wrong", executionview.Approval(wrongApproval()), false},
		{"approval-hostile", seen(executionview.Approval(hostileApproval())), false},
		{"skills", skillview.List(sampleSkills()), false},
		{"skills-none", skillview.List(skillview.ListPage{Shell: shell("Skills", layout.SectionSkills),
			Problems: components.Problems{"file": "This is no zip file that can be read. Send the bytes of a zip file."}}), false},
		{"skill-waiting", skillview.Skill(sampleSkill()), false},
		{"skill-approved", skillview.Skill(approvedSkill()), false},
		{"skill-hostile", seen(skillview.Skill(hostileSkill())), false},
	}
}
