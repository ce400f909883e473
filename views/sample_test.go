package views_test

import (
	"encoding/json"
	"time"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views"
)

// sample is one page in one situation, with plausible content.
type sample struct {
	name string
	page templ.Component
	free bool // may stand without navigation
}

var noon = time.Now().UTC()

func ago(d time.Duration) time.Time { return noon.Add(-d) }

func shell(title string, section views.Section) views.Shell {
	return views.Shell{Title: title, Section: section, Version: "0.1.0", Base: "http://airlock.lan:9090", Now: noon, NeedsYou: 1}
}

func host(text string) app.Host {
	h, err := app.ParseHost(text)
	if err != nil {
		panic(err)
	}
	return h
}

func sampleKeys(linked bool) []app.Key {
	keys := []app.Key{
		{Name: "ORACLE_PASSWORD", Description: "To read revenue by outlet from the reporting schema, once a month.", Mode: app.ModeInjected},
		{Name: "ORACLE_DSN", Description: "The address of the reporting database.", Mode: app.ModePlain},
		{Name: "SIMPHONY_API_KEY", Description: "To fetch yesterday's checks, so that the report can be compared with them.", Hosts: []app.Host{host("simphony.example.com")}},
	}
	if linked {
		for i := range keys {
			keys[i].CredentialID, keys[i].Credential, keys[i].ValueExists = "c"+keys[i].Name, keys[i].Name, true
			keys[i].CredentialMode = app.ModeInjected
		}
		keys[1].CredentialMode, keys[1].Credential = app.ModePlain, "ORACLE_DSN_PRODUCTION"
	}
	return keys
}

func sampleProfile(state app.State) app.Profile {
	p := app.Profile{
		ID: "ark_0123456789abcdefghjkmnpqrs", Handle: "h7v2k9q4m8x1", Description: "Monthly revenue report from Oracle", PairingCode: "k7m-4qx",
		CreatedBy: app.Actor{Kind: app.ActorAgent, Address: "192.168.1.40"}, CreatedFrom: "192.168.1.40",
		CreatedAt: ago(4 * time.Minute), UpdatedAt: ago(3 * time.Minute), Keys: sampleKeys(state != app.StateUnlocked), Executions: 41,
		Hosts: []app.HostRequest{{Host: host("oracle.corp.example.com:1521")}, {Host: host("simphony.example.com")}},
	}
	p.Hosts[0].Reason = "The reporting database."
	p.Hosts[1].Reason = "Checks of yesterday."
	p.Handle += string(state)
	if state != app.StateUnlocked {
		p.Locked, p.Policy, p.LockedAt, p.CreatedAt, p.LastUsedAt = true, 2, ago(72*time.Hour), ago(73*time.Hour), ago(2*time.Minute)
	}
	if state == app.StateRevoked {
		p.Revoked = true
	}
	return p
}

func sampleExecutions() []app.Execution {
	x := func(handle string, s app.Status, before time.Duration) app.Execution {
		e := app.Execution{
			Handle: handle, ProfileHandle: "h7v2k9q4m8x1", Profile: "Monthly revenue report from Oracle", Status: s, Timeout: time.Minute, Policy: 2,
			Backend: "bubblewrap", Isolation: "full", Warm: true, CreatedAt: ago(before), StartedAt: ago(before - 12*time.Millisecond), RunTime: 840 * time.Millisecond,
			PeakMemory: 48 << 20, Redactions: 2,
		}
		if s.Terminal() {
			e.CompletedAt = ago(before - time.Second)
		}
		return e
	}
	all := []app.Execution{
		x("a1b2c3d4e5f6", app.StatusRunning, 14*time.Second), x("b1b2c3d4e5f6", app.StatusAwaitingLLM, 40*time.Second), x("c1b2c3d4e5f6", app.StatusPending, 2*time.Second),
		x("d1b2c3d4e5f6", app.StatusCompleted, 3*time.Minute), x("e1b2c3d4e5f6", app.StatusError, 10*time.Minute), x("f1b2c3d4e5f6", app.StatusTimeout, 2*time.Hour),
		x("g1b2c3d4e5f6", app.StatusCancelled, 26*time.Hour),
	}
	all[2].StartedAt = time.Time{}
	all[3].LLMTime = 2300 * time.Millisecond
	all[4].Error = "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    rows = fetch(start)\nKeyError: 'the key ORACLE_PASSWRD is not on this profile; it has ORACLE_PASSWORD, ORACLE_DSN, SIMPHONY_API_KEY'"
	all[4].ErrorLine = 4
	all[5].Error = "the time limit of 60 s was reached"
	all[6].Error = "cancelled by a person"
	all[1].Request = &app.LLMExchange{RequestID: "r1", Ordinal: 1, Prompt: "Which of these outlets had an unusual day?\nBar 12,400\nTerrace 180\nKitchen 9,900", Model: "default", AskedAt: ago(30 * time.Second)}
	return all
}

func sampleBox() views.BoxState {
	return views.BoxState{
		Ready: true, Backend: "bubblewrap", Tier: "full", Runtime: "python 3.11.2, root 8c1f0e", Workers: 4, Running: 1, Waiting: 1, Warm: 3,
		Proofs: []views.Proof{{Name: "network", Proved: true, Detail: "no interface but loopback; a packet to 192.0.2.1 was refused"}, {Name: "filesystem", Proved: true, Detail: "the root is read-only and the host's files are not visible"},
			{Name: "processes", Proved: true, Detail: "nothing of the host can be seen or signalled"}, {Name: "cgroup memory", Detail: "no writable cgroup here; memory is polled instead"}},
		Limits: []views.Limit{{Name: "memory", How: "polled"}, {Name: "processes", How: "enforced"}},
	}
}

func sampleCredentials() []app.Credential {
	return []app.Credential{
		{ID: "1", Name: "ORACLE_DSN_PRODUCTION", Mode: app.ModePlain, Version: 1, ValueSetAt: ago(72 * time.Hour), Uses: 41, Profiles: 2},
		{ID: "2", Name: "ORACLE_PASSWORD", Mode: app.ModeInjected, Version: 3, ValueSetAt: ago(90 * time.Minute), Uses: 41, Profiles: 2, Hosts: []app.Host{host("oracle.corp.example.com:1521")}},
		{ID: "3", Name: "STRIPE_RESTRICTED_KEY", Mode: app.ModeInjected, Profiles: 1},
	}
}

const sampleScript = `import httpx

start = "2026-10-01"
rows = fetch(start)
total = sum(r["amount"] for r in rows)
print(f"{len(rows)} rows, total {total:,.2f}")
set_result({"total": total, "rows": len(rows)})
`

func profilePage(state app.State) views.ProfilePage {
	p := sampleProfile(state)
	page := views.ProfilePage{
		Shell: shell("Monthly revenue report", views.SectionProfiles), Profile: p, State: state, Credentials: sampleCredentials(),
		Expiry: views.ExpiryForm{Choice: "never"}, Allowed: []app.Host{host("oracle.corp.example.com:1521"), host("simphony.example.com")},
	}
	for i, k := range p.Keys {
		page.Keys = append(page.Keys, views.KeyForm{Key: k, Link: []string{"ORACLE_PASSWORD", "+", ""}[i], NewName: k.Name, Mode: app.ModePlain})
	}
	for i, h := range p.Hosts {
		page.Hosts = append(page.Hosts, views.HostForm{Text: h.String(), Host: h.Host, Reason: h.Reason, Allow: i == 0 || state != app.StateUnlocked, Private: i == 0, Asked: state == app.StateUnlocked})
	}
	if state != app.StateUnlocked {
		page.Allowed[0].Private = true
		page.Executions = sampleExecutions()[:4]
	}
	return page
}

func executionPage(i int) views.ExecutionPage {
	x := sampleExecutions()[i]
	p := views.ExecutionPage{Shell: shell("Execution", views.SectionExecutions), Execution: x, ProfileURL: views.ProfileURL(x.ProfileHandle), Script: sampleScript, Stdout: "41,208 rows, total 1,204,441.20\n"}
	x.Manifest = app.Manifest{Script: "9f2c3b4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809", Python: "3.11.2", Limits: app.DefaultLimits(), ResultHash: "1f2c3b4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"}
	p.Execution = x
	if x.Status == app.StatusCompleted {
		p.Result = json.RawMessage(`{"total":"1204441.20","rows":41208,"outlets":["Bar","Terrace","Kitchen"]}`)
		p.Exchanges = []app.LLMExchange{{RequestID: "r1", Ordinal: 1, Prompt: "Which outlet had an unusual day?", Model: "default", Response: "Terrace: 180 is far below its usual 4,000.", AskedAt: ago(3 * time.Minute), AnsweredAt: ago(3*time.Minute - 2300*time.Millisecond), AnsweredBy: app.Actor{Kind: app.ActorAgent}}}
		p.Network = []app.Connection{{Host: "simphony.example.com", Port: 443, Verdict: app.VerdictAllowed, Rule: "simphony.example.com", BytesUp: 1840, BytesDown: 48230, Duration: 412 * time.Millisecond, Count: 1},
			{Host: "pypi.org", Port: 443, Verdict: app.VerdictDenied, Rule: "not on the list", Count: 3}}
	}
	if x.Status == app.StatusError {
		p.Stderr, p.Stdout = x.Error+"\n", ""
	}
	return p
}

// samples are all pages, each in the situations that look different.
func samples() []sample {
	list := views.ExecutionsPage{Shell: shell("Executions", views.SectionExecutions), Executions: sampleExecutions(), Profiles: []views.Choice{{Value: "h", Word: "Monthly revenue report"}}, Older: "/ui/executions?before=g", First: true, Here: views.Executions}
	first := views.OverviewPage{Shell: shell("Overview", views.SectionOverview), Step: 1, Box: sampleBox()}
	first.NeedsYou = 0
	second := first
	second.Step = 2
	second.Needs = []views.Need{{Title: "Monthly revenue report from Oracle", Detail: "An agent at 192.168.1.40 asks for 3 keys and 2 hosts, 4 minutes ago.", Code: "k7m-4qx", URL: views.ProfileURL("h"), Action: "Fill in and lock"}}
	full := second
	full.Step, full.Executions = 0, sampleExecutions()
	broken := first
	broken.Box = views.BoxState{Backend: "bubblewrap", Reason: "User namespaces are switched off on this machine. Run: sysctl -w kernel.unprivileged_userns_clone=1", Workers: 4}
	credential := views.CredentialPage{Shell: shell("ORACLE_PASSWORD", views.SectionCredentials), Credential: sampleCredentials()[1], Mode: app.ModeInjected, Hosts: "oracle.corp.example.com:1521", Description: "Read-only user REPORTING", Profiles: []app.Profile{sampleProfile(app.StateLocked)}}
	fresh := views.CredentialPage{Shell: shell("Add a credential", views.SectionCredentials), New: true, Name: "2FAST", Mode: app.ModeInjected, Problems: views.Problems{"name": `"2FAST" can't be a key name. Use letters, digits and underscores, and don't start with a digit.`, "value": "The value is empty. Type the value."}}
	noticed := profilePage(app.StateLocked)
	noticed.Notice = "The profile is locked. Its agent can use it now."
	asking := profilePage(app.StateLocked)
	asking.Hosts = append(asking.Hosts, views.HostForm{Text: "api.exchange.example", Host: host("api.exchange.example"), Reason: "Exchange rates of the day.", Asked: true})
	unlocked := profilePage(app.StateUnlocked)
	wrong := profilePage(app.StateUnlocked)
	wrong.Problems = views.Problems{"value.ORACLE_DSN": "The value is empty. Type the value.", "new_host": `Host "https://x" can't be used: write it as host or host:port.`}
	wrong.NewHost = "https://x"
	ready := sampleProfile(app.StateLocked)
	return []sample{
		{"login", views.LoginView(views.LoginPage{Shell: shell("Log in", "")}), true},
		{"login-refused", views.LoginView(views.LoginPage{Shell: shell("Log in", ""), Problem: "That is not the admin token."}), true},
		{"overview-first", views.OverviewView(first), false},
		{"overview-second", views.OverviewView(second), false},
		{"overview", views.OverviewView(full), false},
		{"overview-broken", views.OverviewView(broken), false},
		{"credentials-empty", views.CredentialsView(views.CredentialsPage{Shell: shell("Credentials", views.SectionCredentials)}), false},
		{"credentials", views.CredentialsView(views.CredentialsPage{Shell: shell("Credentials", views.SectionCredentials), Credentials: sampleCredentials()}), false},
		{"credential", views.CredentialView(credential), false},
		{"credential-refused", views.CredentialView(fresh), false},
		{"confirm", views.ConfirmView(views.ConfirmPage{Shell: shell("Revoke", views.SectionProfiles), Question: "Revoke Monthly revenue report from Oracle?", Lines: []string{"Running scripts are stopped at once and their connections closed.", "Its agent can't run, poll or answer anything with it any more.", "This can't be undone. Past executions stay readable here."}, Action: "/ui/x", Button: "Revoke Monthly revenue report from Oracle", Back: views.Profiles}), false},
		{"profiles-empty", views.ProfilesView(views.ProfilesPage{Shell: shell("Profiles", views.SectionProfiles)}), false},
		{"profiles", views.ProfilesView(views.ProfilesPage{Shell: shell("Profiles", views.SectionProfiles), Profiles: []views.ProfileRow{{Profile: sampleProfile(app.StateUnlocked), State: app.StateUnlocked}, {Profile: sampleProfile(app.StateLocked), State: app.StateLocked}, {Profile: sampleProfile(app.StateRevoked), State: app.StateRevoked}, {Profile: sampleProfile(app.StateExpired), State: app.StateExpired}}}), false},
		{"profile-new", views.ProfileNewView(views.ProfileNewPage{Shell: shell("Create a profile", views.SectionProfiles)}), false},
		{"profile-setup", views.ProfileView(unlocked), false},
		{"profile-refused", views.ProfileView(wrong), false},
		{"profile-lock", views.LockView(views.LockPage{Shell: shell("Lock", views.SectionProfiles), Profile: ready, Allowed: profilePage(app.StateLocked).Allowed}), false},
		{"profile-locked", views.ProfileView(noticed), false},
		{"profile-asking", views.ProfileView(asking), false},
		{"profile-revoked", views.ProfileView(profilePage(app.StateRevoked)), false},
		{"executions", views.ExecutionsView(list), false},
		{"executions-empty", views.ExecutionsView(views.ExecutionsPage{Shell: shell("Executions", views.SectionExecutions)}), false},
		{"execution-running", views.ExecutionView(executionPage(0)), false},
		{"execution-asking", views.ExecutionView(executionPage(1)), false},
		{"execution-completed", views.ExecutionView(executionPage(3)), false},
		{"execution-error", views.ExecutionView(executionPage(4)), false},
		{"sandbox", views.SandboxView(views.SandboxPage{Shell: shell("Sandbox", views.SectionSandbox), Box: sampleBox()}), false},
		{"audit", views.AuditView(views.AuditPage{Shell: shell("Audit", views.SectionAudit), First: true, Older: "/ui/audit?before=3", Events: []views.AuditRow{
			{URL: views.ProfileURL("h7v2k9q4m8x1"), Event: app.Event{Seq: 5, At: ago(time.Minute), Actor: app.Actor{Kind: app.ActorPerson, Address: "192.168.1.7"}, Action: "profile.lock", Subject: "h7v2k9q4m8x1", Detail: "Locked with 3 keys and 2 hosts."}},
			{Event: app.Event{Seq: 4, At: ago(time.Hour), Actor: app.Actor{Kind: app.ActorAgent, Address: "192.168.1.40"}, Action: "session.refuse", Subject: "admin", Detail: "Refused a login with a wrong admin token."}},
			{URL: views.ExecutionURL("x"), Event: app.Event{Seq: 3, At: ago(time.Hour), Actor: app.Actor{Kind: app.ActorPerson}, Action: "execution.cancel", Subject: "x", Detail: "cancelled while running"}}}}), false},
		{"settings", views.SettingsView(views.SettingsPage{Shell: shell("Settings", views.SectionSettings), Address: "192.168.1.7"}), false},
		{"oops", views.OopsView(views.OopsPage{Shell: shell("Not found", ""), Status: 404, Message: "There is nothing at this address", Hint: "It may have been deleted, or the link is incomplete."}), false},
		{"oops-bare", views.OopsView(views.OopsPage{Shell: shell("Forbidden", ""), Status: 403, Message: "The request comes from a page of another site", Hint: "Open Airlock itself and try again there.", Bare: true}), true},
	}
}
