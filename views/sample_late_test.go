package views_test

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// lateSamples are situations that are rare: references that name nothing, a Vault that fails, confirmations.
func lateSamples() []sample {
	// A locked profile with an allowed host behind a plain key, one behind a key that is gone, and a request for one that names nothing.
	nameless := profilePage(app.StateLocked)
	behind, gone := host("{ORACLE_DSN}:1521"), host("{NO_SUCH_KEY}:443")
	nameless.Allowed = []app.Host{behind, gone, host("simphony.example.com")}
	nameless.Hosts = []views.HostForm{
		{Text: "{ORACLE_DSN}:1521", Host: behind, Allow: true, Reason: "The reporting database."}, {Text: "{NO_SUCH_KEY}:443", Host: gone, Allow: true},
		{Text: "{ORACLE_PASSWORD}:443", Host: host("{ORACLE_PASSWORD}:443"), Reason: "Rates of the day.", Asked: true, At: ago(time.Hour)}, {Text: "simphony.example.com", Host: host("simphony.example.com"), Allow: true},
	}
	nameless.Granted[1].Names = "reporting.corp.example.com"
	asked := profilePage(app.StateUnlocked)
	asked.Hosts = append(asked.Hosts, views.HostForm{Text: "{ORACLE_DSN}:1521", Host: behind, Reason: "The reporting database."}, views.HostForm{Text: "{NO_SUCH_KEY}:443", Host: gone, Reason: "Whatever it names."})

	lock := sampleProfile(app.StateLocked)
	lock.Hosts = append(lock.Hosts, app.HostRequest{Host: host("telemetry.example.net")}, app.HostRequest{Host: host("*.a-rather-long-name-of-a-department.example.org:8443")})
	for i := range 2 {
		lock.Hosts[i].Allowed = true
	}
	plain := sampleGrants(lock.Keys)
	plain[1].Names = "reporting.corp.example.com"
	locking := views.LockPage{Shell: shell("Lock", views.SectionProfiles), Profile: lock, Granted: plain, Allowed: []app.Host{behind, host("simphony.example.com")}}

	stored := views.CredentialPage{Shell: shell("ORACLE_PASSWORD", views.SectionCredentials), Credential: sampleCredentials()[1], Mode: app.ModeInjected, Hosts: "oracle.corp.example.com:1521",
		Vault:    views.VaultChoice{Offered: true, Source: app.SourceVault, Reference: "secret/data/oracle#password", Held: true},
		Problems: views.Problems{"erase": "Airlock holds a value of ORACLE_PASSWORD, and a reference would erase it. Tick that it shall be erased, if it is in Vault."}}
	unresolved := views.CredentialsPage{Shell: shell("Credentials", views.SectionCredentials), Credentials: sampleCredentials()}
	unresolved.Warns = true
	unresolved.Notice = "The credential was saved, but its reference does not resolve in Vault now: executions that need it fail. Its page says why."
	unresolved.Credentials[1].Source = app.SourceVault

	failing := views.InboxPage{Shell: shell("Inbox", views.SectionInbox), Needs: append([]views.Need{{Icon: "key", Title: "Vault does not work", Detail: "Vault is sealed. Executions that need a value from it end in an error.",
		URL: views.Settings + "#vault", Action: "See Vault", At: ago(12 * time.Minute)}}, sampleNeeds()[1:]...)}
	rules := sampleSettings()
	rules.Rules = []views.RuleRow{{Name: "private-key", About: "private keys in PEM, OpenSSH and PGP armour, with or without their end"}, {Name: "jwt", About: "JSON web tokens", Off: true}, {Name: "acme-badge-number", About: "badges of Acme", Own: true}, {Name: "acme-old", About: "badges of Acme from before 2020", Own: true, Off: true}}

	ending := func(title, typed string, lines ...string) views.ConfirmPage {
		return views.ConfirmPage{Shell: shell(title, views.SectionProfiles), Question: title + "?", Lines: lines, Action: "/ui/x", Button: title, Back: views.Profiles, Typed: typed}
	}
	profile := ending("Delete Monthly revenue report from Oracle", "Monthly revenue report from Oracle", "Running scripts are stopped at once and their connections closed.", "The profile disappears with its keys and hosts. The credentials stay.", "This can't be undone. What it ran stays in the list of executions.")
	profile.Problems = views.Problems{"typed": "That is not its name. Type Monthly revenue report from Oracle if you mean it."}
	person := ending("Remove Grace Hopper", "Grace Hopper", "Their sessions end at once, and their password counts no more.", "What they did stays in the audit log. They can be invited again.")
	return []sample{
		{"late-profile-references", views.ProfileView(nameless), false},
		{"late-profile-references-asked", views.ProfileView(asked), false},
		{"late-profile-lock", views.LockView(locking), false},
		{"late-credential-erase", views.CredentialView(stored), false},
		{"late-credentials-unresolved", views.CredentialsView(unresolved), false},
		{"late-inbox-vault", views.InboxView(failing), false},
		{"late-settings-rules", views.SettingsView(rules), false},
		{"late-profile-delete", views.ConfirmView(profile), false},
		{"late-person-remove", views.ConfirmView(person), false},
	}
}
