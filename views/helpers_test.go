package views_test

import (
	"encoding/json"
	"net/url"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	appaudit "github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/app/auth"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/dotenv"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/app/redact"
	"github.com/computclaw/airlock/app/retention"
	"github.com/computclaw/airlock/app/secrets/vault"
	"github.com/computclaw/airlock/app/testrequest"
	"github.com/computclaw/airlock/plugins"
	"github.com/computclaw/airlock/views/auditview"
	"github.com/computclaw/airlock/views/authview"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/credentialview"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/executionview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
	"github.com/computclaw/airlock/views/profileview"
	"github.com/computclaw/airlock/views/settingsview"
)

// sample is a page in one situation, with plausible content.
type sample struct {
	name string
	page templ.Component
	free bool // may stand without navigation
}

var noon = time.Now().UTC()

func ago(d time.Duration) time.Time { return noon.Add(-d) }

func shell(title string, section layout.Section) layout.Shell {
	return layout.Shell{Title: title, Section: section, Version: "0.1.0", Base: "http://airlock.lan:9090", Now: noon,
		Role:     app.RoleOwner,
		NeedsYou: 1, Person: "Ada Lovelace"}
}

// sampleLosing is the settings where nothing is kept.
func sampleLosing(why string) settingsview.SettingsPage {
	p := sampleSettings()
	p.DataLoss = why
	return p
}

func settingsAt(p settingsview.SettingsPage, path string) settingsview.SettingsPage {
	p.Here, p.Problems = path, nil
	return p
}

// sampleEvents returns a setup in five entries, and others.
func sampleEvents() (rows []auditview.Row) {
	ada := app.Actor{Kind: app.ActorPerson, Name: "Ada Lovelace", Address: "192.168.1.7"}
	agent := app.Actor{Kind: app.ActorAgent, Name: "h7v2k9q4m8x1", Address: "192.168.1.40"}
	add := func(by app.Actor, action, subject, name, url, detail string, before time.Duration) {
		e := app.Event{Seq: int64(11 - len(rows)), At: ago(before), Actor: by, Action: action, Subject: subject, Detail: detail}
		profile := ""
		if by.Name == "h7v2k9q4m8x1" {
			profile = "Monthly revenue report from Oracle"
		}
		rows = append(rows, auditview.Row{Event: e, Who: format.EventActor(e, profile), Name: name, URL: url})
	}
	const name = "Monthly revenue report from Oracle"
	at := paths.ProfileURL("h7v2k9q4m8x1")
	add(ada, "profile.lock", "h7v2k9q4m8x1", name, at, "Locked with 3 keys and 2 hosts.", time.Minute)
	add(ada, "profile.link", "h7v2k9q4m8x1", name, at, "Linked ORACLE_PASSWORD to ORACLE_PASSWORD.", 2*time.Minute)
	add(ada, "credential.create", "ORACLE_PASSWORD", "ORACLE_PASSWORD", "", "Created as injected.", 2*time.Minute)
	add(ada, "profile.hosts", "h7v2k9q4m8x1", name, at, "Allowed simphony.example.com.", 2*time.Minute)
	add(ada, "profile.describe", "h7v2k9q4m8x1", name, at, "Changed the description.", 3*time.Minute)
	add(agent, "profile.propose_hosts", "h7v2k9q4m8x1", name, at, "Asked for 2 hosts.", 4*time.Minute)
	add(app.Actor{Kind: app.ActorAgent, Address: "192.168.1.40"}, "session.refuse", "admin", "admin", "",
		"Refused a login with a wrong admin token.", time.Hour)
	add(ada, "execution.cancel", "0a1b2c3d4e5f6g7h8j9kmnpqrs", "Execution 0a1b2c3d", paths.ExecutionURL("x"),
		"cancelled while running", time.Hour)
	add(ada, "profile.delete", "z9y8x7w6v5t4s3r2q1p0nmkjhg", "Deleted profile z9y8x7w6", "", "Deleted.", 2*time.Hour)
	return rows
}

// samplePlaces returns search results, one with a long name.
func samplePlaces() []dashboardview.Found {
	return append(dashboardview.Places(shell("Search", "")), dashboardview.Found{Icon: "key", Title: strings.Repeat("A_LONG_NAME_", 8) + "END", Note: "Credential, sealed",
		URL: paths.CredentialURL("X")})
}

// tabbed is a page with another tab shown.
func tabbed(p profileview.ProfilePage, t profileview.Tab) profileview.ProfilePage {
	p.Tab = t
	p.Name, p.Purpose = app.SplitDescription(p.Profile.Description)
	return p
}

func host(text string) app.Host {
	h, err := app.ParseHost(text)
	if err != nil {
		panic(err)
	}
	return h
}

// ended returns the status of a revoked profile's run.
func ended(s app.Status) app.Status {
	if s.Terminal() {
		return s
	}
	return app.StatusCancelled
}

func sampleBeats(n int) []profileview.Beat {
	all := app.Statuses()
	beats := make([]profileview.Beat, n)
	for i := range beats {
		status := app.StatusCompleted
		if i%7 == 3 {
			status = all[i/7%len(all)]
		}
		beats[i] = profileview.Beat{Handle: "a1b2c3d4e5f6", Status: status,
			CreatedAt: ago(time.Duration(n-i) * time.Hour),
			RunTime:   840 * time.Millisecond}
	}
	return beats
}

func samplePreview() credentialview.PreviewPage {
	return credentialview.PreviewPage{Shell: shell("Review pasted values", layout.SectionCredentials),
		Problems: components.Problems{"hosts.STRIPE_KEY": "A sealed credential needs at least one host."},
		Rows: []credentialview.PreviewRow{
			{Name: "STRIPE_URL", Line: 1, Action: "add", Mode: app.ModePlain, Size: 25, Lines: 1},
			{Name: "STRIPE_KEY", Line: 2, Action: "add", Mode: app.ModeSealed, Size: 32, Lines: 1, Expands: true},
			{Name: "ORACLE_PASSWORD", Line: 3, Exists: true, Profiles: 2, Action: "skip", Mode: app.ModeInjected,
				Size:  20,
				Lines: 1},
			{Name: "A_VERY_LONG_NAME_OF_A_VARIABLE_THAT_SOMEBODY_CHOSE_IN_ANGER", Line: 4, Action: "add",
				Mode: app.ModeInjected,
				Size: 1704, Lines: 28, Weak: "The value is easy to guess: use a longer one, with letters, digits " +
					"and signs mixed."},
			{Name: "DB_HOST", Line: 38, Exists: true, Profiles: 1, Action: "skip", Mode: app.ModePlain, Size: 12, Lines: 1,
				Reached: `The locked profile "Nightly stock check" would reach evil.example instead of db.corp.example.`},
			{Name: "EMPTY", Line: 40, Action: "skip", Empty: true},
		}}
}

func sampleDeletion(blocked bool) layout.ConfirmPage {
	p := layout.ConfirmPage{
		Shell: shell("Delete ORACLE_PASSWORD", layout.SectionCredentials), Question: "Delete ORACLE_PASSWORD?",
		Button: "Delete ORACLE_PASSWORD", Typed: "ORACLE_PASSWORD", Action: "/ui/x", Back: paths.Credentials,
		Lines: []string{"Scripts can't use it any more, and its value is destroyed with all earlier versions. This " +
			"can't be undone.",
			"Airlock stops searching answers and output for the value, which its service still accepts. Revoke it " +
				"there first."},
		Affected: []layout.Affected{{Handle: "x", Title: "Daily stock check",
			How: "is being set up: its key loses the link"}},
		Problems: components.Problems{"typed": "That is not its name. Type ORACLE_PASSWORD if you mean it."},
	}
	if blocked {
		p.Blocked, p.Problems = true, nil
		p.Affected = append(p.Affected,
			layout.Affected{Handle: "y", Title: "Monthly revenue report from Oracle",
				How: "is locked and uses it: revoke or delete this profile first"})
	}
	return p
}

func sampleSettings() settingsview.SettingsPage {
	sh := shell("Settings", layout.SectionSettings)
	sh.Person, sh.Disk = "Ada Lovelace", layout.Disk{Free: 41 << 30, Size: 100 << 30, Reserve: 256 << 20}
	return settingsview.SettingsPage{
		Shell: sh, Address: "192.168.1.7", PersonID: "p1", SessionID: "s1", Here: paths.Settings,
		People: []auth.Person{
			{ID: "p1", Name: "Ada Lovelace", CreatedAt: ago(90 * 24 * time.Hour), LastLoginAt: ago(2 * time.Hour),
				LastLoginFrom: "192.168.1.7", Role: app.RoleOwner, Passkeys: 2},
			{ID: "p2", Name: "Wolfeschlegelsteinhausenbergerdorff the Younger of Philadelphia",
				CreatedAt: ago(24 * time.Hour), Role: app.RoleViewer},
		},
		Invitations: []auth.Invitation{{ID: "i1", By: app.Actor{Name: "Ada Lovelace"}, Role: app.RoleOperator,
			CreatedAt: ago(time.Hour),
			ExpiresAt: noon.Add(71 * time.Hour)}},
		Sessions: []auth.SessionInfo{
			{ID: "s1", PersonID: "p1", Person: "Ada Lovelace", Address: "192.168.1.7", Browser: "Mozilla/5.0 (X11; " +
				"Linux x86_64) Firefox/140.0",
				CreatedAt: ago(2 * time.Hour), SeenAt: ago(2 * time.Minute)},
			{ID: "s2", PersonID: "p1", Person: "Ada Lovelace", Address: "2001:db8:85a3:8d3:1319:8a2e:370:7348",
				Browser: "Mozilla/5.0 (iPhone) Version/18.0 Safari/604.1", CreatedAt: ago(50 * time.Hour),
				SeenAt: ago(5 * time.Hour)},
		},
		PasskeyOrigin: "https://airlock.example.com",
		Passkeys: []app.Passkey{
			{ID: []byte("k1"), Name: "Chrome on Linux", Host: "airlock.example.com", CreatedAt: ago(50 * 24 * time.Hour),
				UsedAt: ago(2 * time.Hour)},
			{ID: []byte("k2"), Name: strings.Repeat("Wolfeschlegelsteinhausen", 2), Host: "a-rather-long-name.of-a-host.internal.example.com",
				CreatedAt: ago(time.Hour)},
		},
		Token: auth.TokenState{MadeAt: ago(90 * 24 * time.Hour), SpentAt: ago(90 * 24 * time.Hour),
			SpentFrom: "192.168.1.7", SpentBy: "Ada Lovelace"},
		Retention: retention.Status{Policy: retention.Policy{Days: 90, Count: 100_000}, PassedAt: ago(24 * time.Minute), Last: 318,
			All: 20_411},
		Database: 3 << 30, Reusable: 212 << 20,
	}
}

func sampleKeys(linked bool) []app.Key {
	keys := []app.Key{
		{Name: "ORACLE_PASSWORD", Description: "To read revenue by outlet from the reporting schema, once a month.",
			Mode: app.ModeInjected},
		{Name: "ORACLE_DSN", Description: "The address of the reporting database.", Mode: app.ModePlain},
		{Name: "SIMPHONY_API_KEY", Description: "To fetch yesterday's checks, so that the report can be compared " +
			"with them.",
			Hosts: []app.Host{host("simphony.example.com")}},
	}
	if linked {
		for i := range keys {
			keys[i].CredentialID, keys[i].Credential, keys[i].ValueExists = "c"+keys[i].Name, keys[i].Name, true
			keys[i].CredentialMode = app.ModeInjected
		}
		keys[2].CredentialMode = app.ModeSealed
		keys[1].CredentialMode, keys[1].Credential = app.ModePlain, "ORACLE_DSN_PRODUCTION"
	}
	return keys
}

func sampleProfile(state app.State) app.Profile {
	p := app.Profile{
		ID: "ark_0123456789abcdefghjkmnpqrs", Handle: "h7v2k9q4m8x1", Description: "Monthly revenue report from Oracle",
		PairingCode: "k7m-4qx",
		CreatedBy:   app.Actor{Kind: app.ActorAgent, Address: "192.168.1.40"}, CreatedFrom: "192.168.1.40",
		CreatedAt: ago(4 * time.Minute), UpdatedAt: ago(3 * time.Minute), Keys: sampleKeys(state != app.StateUnlocked),
		Executions: 41,
		Hosts: []app.HostRequest{{Host: host("oracle.corp.example.com:1521")},
			{Host: host("simphony.example.com")}},
	}
	p.Hosts[0].Reason = "The reporting database."
	p.Hosts[1].Reason = "Checks of yesterday."
	p.Handle += string(state)
	if state != app.StateUnlocked {
		p.Locked, p.Policy, p.LockedAt, p.CreatedAt, p.LastUsedAt = true, 2, ago(72*time.Hour), ago(73*time.Hour),
			ago(2*time.Minute)
	}
	if state == app.StateRevoked {
		p.Revoked, p.RevokedAt = true, ago(2*time.Hour)
	}
	return p
}

func sampleProfiles() []profileview.ListRow {
	row := func(state app.State, name string, beats int, used time.Duration) profileview.ListRow {
		p := sampleProfile(state)
		p.Handle, p.Description = strings.ToLower(strings.ReplaceAll(name[:8], " ", "")), name
		if state != app.StateUnlocked {
			for i := range p.Hosts {
				p.Hosts[i].Allowed = true
			}
			p.LastUsedAt = ago(used)
		}
		switch {
		case state == app.StateExpired:
			p.ExpiresAt = ago(24 * time.Hour)
		case beats == 12:
			p.ExpiresAt = noon.Add(72 * time.Hour)
		}
		r := profileview.ListRow{Profile: p, State: state}
		if beats > 0 {
			r.Beats = sampleBeats(beats)
		}
		return r
	}
	return []profileview.ListRow{
		row(app.StateUnlocked, "Guest reviews of the week", 0, 0),
		row(app.StateLocked, "Monthly revenue report from Oracle", 50, 2*time.Minute),
		row(app.StateLocked, "Nightly stock check", 50, 9*time.Hour),
		row(app.StateLocked, "Weekly occupancy forecast", 12, 3*time.Hour),
		row(app.StateRevoked, "Support digest", 41, 8*24*time.Hour),
		row(app.StateExpired, "Audit of the summer season with a description that somebody wrote at length", 30,
			30*24*time.Hour),
	}
}

func sampleExecutions() []app.Execution {
	x := func(handle string, s app.Status, before time.Duration) app.Execution {
		e := app.Execution{
			Handle: handle, ProfileHandle: "h7v2k9q4m8x1", Profile: "Monthly revenue report from Oracle", Status: s,
			Timeout: time.Minute, Policy: 2,
			Backend: "bubblewrap", Isolation: "full", Warm: true, CreatedAt: ago(before),
			StartedAt: ago(before - 12*time.Millisecond), RunTime: 840 * time.Millisecond,
			PeakMemory: 48 << 20, Injected: []string{"ORACLE_PASSWORD"},
		}
		if s == app.StatusCompleted {
			e.Label = "Month end, northern region"
		}
		return e
	}
	all := []app.Execution{
		x("a1b2c3d4e5f6", app.StatusRunning, 14*time.Second), x("b1b2c3d4e5f6", app.StatusAwaitingLLM, 40*time.Second),
		x("c1b2c3d4e5f6", app.StatusPending, 2*time.Second),
		x("d1b2c3d4e5f6", app.StatusCompleted, 3*time.Minute), x("e1b2c3d4e5f6", app.StatusError, 10*time.Minute),
		x("f1b2c3d4e5f6", app.StatusTimeout, 2*time.Hour),
		x("g1b2c3d4e5f6", app.StatusCancelled, 26*time.Hour),
	}
	for i, name := range []string{"Weekly occupancy forecast", "Nightly stock check", "Nightly stock check",
		"Monthly revenue report from Oracle", "Monthly revenue report from Oracle", "Exchange rates of the day",
		"Nightly stock check"} {
		all[i].Profile, all[i].RunTime = name, []time.Duration{0, 0, 0, 840, 310, 60000, 12400}[i]*time.Millisecond
		if all[i].Status.Terminal() {
			all[i].CompletedAt = all[i].StartedAt.Add(all[i].RunTime)
		}
	}
	all[0].Injected, all[1].Injected, all[2].Injected, all[5].Injected = nil, nil, nil, nil
	all[3].Redactions, all[4].Redactions = 16, 1
	all[2].StartedAt, all[2].Backend = time.Time{}, ""
	all[3].LLMTime, all[3].FirstOutputAt, all[3].CompletedAt = 2300*time.Millisecond,
		all[3].StartedAt.Add(90*time.Millisecond), all[3].StartedAt.Add(3140*time.Millisecond)
	all[4].Error = "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    rows = " +
		"fetch(start, settings.get(\"ORACLE_PASSWRD\"))\nKeyError: 'the key ORACLE_PASSWRD is not on this profile; it has ORACLE_PASSWORD, ORACLE_DSN, " +
		"SIMPHONY_API_KEY'"
	all[4].ErrorLine = 4
	all[5].Error = "the time limit of 60 s was reached"
	all[6].Error = "cancelled by a person"
	all[1].Request = &app.LLMExchange{RequestID: "r1", Ordinal: 1,
		Prompt: "Which of these outlets had an unusual day?\nBar 12,400\nTerrace 180\nKitchen 9,900", Model: "default",
		AskedAt: ago(30 * time.Second)}
	return all
}

func sampleBox() dashboardview.BoxState {
	return dashboardview.BoxState{
		Ready: true, Backend: "bubblewrap", Tier: "full", Workers: 4, Running: 1, Waiting: 1, Queued: 1, Warm: 3,
		Backends: []dashboardview.BoxBackend{
			{Name: "bubblewrap", InUse: true, Default: true, Passed: true, Proved: ago(time.Minute), Warm: 3, Afresh: true,
				Report: plugins.Report{Version: "bubblewrap 0.8.0", Tier: plugins.TierFull, Runtime: "root 8c1f0e",
					Controls: []plugins.Control{{Name: "network", Proved: true,
						Detail: "no interface but loopback; a packet to 192.0.2.1 was refused"},
						{Name: "filesystem", Proved: true, Detail: "the root is read-only and the host's files are not " +
							"visible"},
						{Name: "processes", Proved: true, Detail: "nothing of the host can be seen or signalled"},
						{Name: "cgroup memory", Detail: "no writable cgroup here; memory is polled instead",
							Fix: "systemctl set-property airlock.service Delegate=yes"},
						{Name: "signals", NotApplicable: true, Detail: "boxes have a pid namespace"}},
					Enforced: map[string]string{"memory": "polled", "processes": "enforced"}}},
			{Name: "docker", Proved: ago(time.Minute), Again: true,
				Reason: "The Docker engine at /var/run/docker.sock can't be reached: start it, or set " +
					"AIRLOCK_PLUGIN_DOCKER_HOST."},
		},
	}
}

func sampleCredentials() []app.Credential {
	return []app.Credential{
		{ID: "1", Name: "ORACLE_DSN_PRODUCTION", Mode: app.ModePlain, Version: 1, ValueSetAt: ago(72 * time.Hour),
			Uses:     41,
			Profiles: 2},
		{ID: "2", Name: "ORACLE_PASSWORD", Mode: app.ModeInjected, Version: 3, ValueSetAt: ago(90 * time.Minute),
			Uses:       1841,
			LastUsedAt: ago(5 * time.Minute), Profiles: 2, Hosts: []app.Host{host("oracle.corp.example.com:1521")}},
		{ID: "3", Name: "STRIPE_RESTRICTED_KEY", Mode: app.ModeSealed, Profiles: 1,
			Hosts: []app.Host{host("api.stripe.example")}},
		sealedCredential(),
		{ID: "5", Name: "FIRST_TEST_MISSING", Mode: app.ModeSealed, Version: 1, ValueSetAt: ago(time.Hour),
			Hosts: []app.Host{host("api.stripe.example")}},
		{ID: "6", Name: "REFUSED_BY_ITS_HOST", Mode: app.ModeSealed, Version: 1, ValueSetAt: ago(time.Hour),
			CheckedAt:  ago(2 * time.Minute),
			CheckError: "The host got the value and did not accept it: it answered Unauthorized.",
			Hosts:      []app.Host{host("api.stripe.example")}},
	}
}

func sealedCredential() app.Credential {
	return app.Credential{ID: "4", Name: "SIMPHONY_API_KEY", Mode: app.ModeSealed, Version: 1,
		ValueSetAt: ago(30 * time.Minute), Uses: 3, Profiles: 1,
		Hosts:  []app.Host{host("simphony.example.com"), host("*.eu.simphony.example.com:443")},
		Places: []app.Place{app.PlaceHeader, app.PlaceQuery}, CheckedAt: ago(3 * time.Minute), CheckProved: true}
}

// sampleGrants returns the sample's keys with the sealed one's hosts.
func sampleGrants(keys []app.Key) []profiles.KeyGrant {
	grants := make([]profiles.KeyGrant, len(keys))
	for i, k := range keys {
		grants[i] = profiles.KeyGrant{Key: k, Where: []app.Host{host("simphony.example.com")},
			Places: []app.Place{app.PlaceHeader, app.PlaceQuery}}
	}
	return grants
}

const sampleScript = `import httpx
print("fetching rows")
start = "2026-10-01"
rows = fetch(start, settings.get("ORACLE_PASSWORD"))
total = sum(r["amount"] for r in rows)
print(f"{len(rows)} rows, total {total:,.2f}")
set_result({"total": total, "rows": len(rows)})
`

// hostForm is a host of a profile, asked for at a time if it is not allowed.
func hostForm(h app.Host, reason string, allowed bool, at time.Time) profileview.HostForm {
	h.Reason = reason
	return profileview.HostForm{HostRequest: app.HostRequest{Host: h, Allowed: allowed, CreatedAt: at}, Allow: allowed}
}

func profilePage(state app.State) profileview.ProfilePage {
	p := sampleProfile(state)
	page := profileview.ProfilePage{
		Shell: shell("Monthly revenue report", layout.SectionProfiles), Profile: p, State: state,
		Credentials: sampleCredentials(),
		Expiry:      profileview.ExpiryForm{Choice: "never"},
		Allowed:     []app.Host{host("oracle.corp.example.com:1521"), host("simphony.example.com")},
	}
	for i, k := range p.Keys {
		page.Keys = append(page.Keys,
			profileview.KeyForm{Key: k, Link: []string{"ORACLE_PASSWORD", "+", "+"}[i], NewName: k.Name,
				Mode: []app.Mode{"", app.ModePlain, app.ModeSealed}[i], Hosts: []string{"", "",
					"simphony.example.com"}[i]})
	}
	page.Granted = sampleGrants(p.Keys)
	for i, h := range p.Hosts {
		h.Private = i == 0
		form := hostForm(h.Host, h.Reason, state != app.StateUnlocked, time.Time{})
		form.Allow = form.Allow || i == 0
		page.Hosts = append(page.Hosts, form)
	}
	if state != app.StateUnlocked {
		page.Allowed[0].Private = true
		page.Executions, page.Summaries, page.Beats = sampleExecutions()[:4], sampleSummaries(), sampleBeats(31)
	}
	if state == app.StateRevoked { // running executions were stopped
		page.Executions = sampleExecutions()[3:]
		for i := range page.Beats {
			page.Beats[i].Status = ended(page.Beats[i].Status)
		}
	}
	return page
}

func sampleInputs() json.RawMessage {
	return json.RawMessage(`{"month":"2026-10","regions":["north","west"],"note":"sent with [REDACTED...9a7b]"}`)
}

func sampleFiles() executionview.Files {
	sum := strings.Repeat("9f2c3b4d", 8)
	return executionview.Files{
		Inputs: []app.InputFile{{Name: "orders.csv", Size: 81200, SHA256: sum, Kept: true}},
		Artifacts: []executionview.Artifact{
			{Artifact: app.Artifact{Name: "revenue-by-outlet-and-month.csv", Size: 48230, SHA256: sum, Masked: 2, Kept: true},
				URL: paths.Executions + "/x/artifacts/revenue.csv"},
			{Artifact: app.Artifact{Name: "report.xlsx", Size: 9 << 20, Withheld: "It holds a secret value.", Key: "ORACLE_PASSWORD"}},
			{Artifact: app.Artifact{Name: "chart.png", Size: 20480, SHA256: sum}},
		},
	}
}

func executionPage(i int) executionview.ExecutionPage {
	x := sampleExecutions()[i]
	p := executionview.ExecutionPage{Shell: shell("Execution", layout.SectionExecutions), Execution: x,
		ProfileURL: paths.ProfileURL(x.ProfileHandle), Script: sampleScript, Inputs: sampleInputs(), Output: app.Output{Stdout: "fetching rows\n"}}
	if x.Status == app.StatusAwaitingLLM {
		p.LLMWait, x.RunTime = 10*time.Minute, 840*time.Millisecond
	}
	x.Manifest = app.Manifest{Script: "9f2c3b4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809",
		Python: "3.11.2", Limits: app.DefaultLimits()}
	switch x.Status {
	case app.StatusCompleted:
		x.Manifest.ResultHash = "1f2c3b4d5e6f708192a3b4c5d6e7f8091a2b3c4d5e6f708192a3b4c5d6e7f809"
	case app.StatusPending:
		p.Output.Stdout, x.PeakMemory = "", 0
	}
	p.Execution = x
	if x.Status == app.StatusTimeout {
		p.Warnings = []string{"The script reached the limit of 64 processes and threads, and could start no more. " +
			"Use fewer, or ask the operator to raise AIRLOCK_LIMIT_PIDS."}
	}
	if x.Status == app.StatusCompleted {
		p.Output.Result = json.RawMessage(`{"total":"1204441.20","rows":41208,"outlets":["Bar","Terrace","Kitchen"]}`)
		p.Files = sampleFiles()
		p.Chain.Through = 412
		p.Events = []app.Event{{Seq: 380, At: ago(time.Minute), Actor: app.Actor{Kind: app.ActorPerson, Name: "Ada Lovelace"},
			Action: "execution.rerun", Subject: "d1b2c3d4e5f6", Detail: "ran again"}}
		p.Exchanges = []app.LLMExchange{{RequestID: "r1", Ordinal: 1, Prompt: "Which outlet had an unusual day?",
			Model: "default", Response: "Terrace: 180 is far below its usual 4,000.",
			AskedAt: x.StartedAt.Add(400 * time.Millisecond), AnsweredAt: x.StartedAt.Add(2700 * time.Millisecond),
			AnsweredBy: app.Actor{Kind: app.ActorAgent}}}
		p.Redactions = map[string]redact.Hits{"result": {{Name: "ORACLE_PASSWORD", Count: 1}}, "stderr": {{Count: 2}},
			"stdout": {{Name: "ORACLE_PASSWORD", Encoding: "base64", Count: 12}, {Rule: "connection-string", Count: 1},
				{Name: "THEIR_TOKEN", Rule: redact.RuleNotGiven, Count: 1}}}
		p.Network = []app.Connection{
			{Host: "simphony.example.com", Port: 443, Verdict: app.VerdictAllowed, Rule: "simphony.example.com",
				Method: "GET",
				Path:   "/v1/checks?from=2026-10-01&to=2026-10-31&api_key=[SEALED:SIMPHONY_API_KEY]", Status: 200,
				Line:        4,
				Credentials: []string{"SIMPHONY_API_KEY"}, BytesUp: 1840, BytesDown: 48230,
				Duration: 412 * time.Millisecond,
				Count:    1},
			{Host: "simphony.example.com", Port: 443, Verdict: app.VerdictAllowed, Rule: "simphony.example.com",
				Method: "POST",
				Path:   "/v1/outlets/" + strings.Repeat("very-long-", 12) + "name", Status: 404, Line: 5,
				Credentials: []string{"SIMPHONY_API_KEY", "SIMPHONY_TENANT"}, BytesUp: 912, BytesDown: 230,
				Duration: 38 * time.Millisecond, Count: 1},
			{Host: "oracle.corp.example.com", Port: 1521, Verdict: app.VerdictAllowed,
				Rule:    "oracle.corp.example.com:1521",
				Address: "10.1.2.3:1521", BytesUp: 4000, BytesDown: 9 << 20, Duration: 3400 * time.Millisecond,
				Count: 1},
			{Host: "api.exchange.example", Port: 443, Verdict: app.VerdictDenied, Rule: "not on the list", Line: 6,
				Count: 3},
			{Host: "rates.example.org", Port: 443, Verdict: app.VerdictDenied, Rule: "not on the list", Line: 6,
				Count: 1},
			{Host: "telemetry.example.net", Verdict: app.VerdictDenied, Rule: "not on the list", Count: 1},
			{Host: "rates.example.org", Port: 443, Verdict: app.VerdictDenied, Rule: "private address", Count: 1},
			{Host: "simphony.example.com", Port: 443, Verdict: app.VerdictFailed, Rule: "certificate expired", Line: 4,
				Count: 1},
		}
		p.Hosts = []app.HostRequest{{Host: host("api.exchange.example:443")},
			{Host: host("rates.example.org"), Allowed: true}, {Host: host("telemetry.example.net")}}
	}
	if x.Status == app.StatusCompleted {
		p.Output.Result = json.RawMessage(`{"total":"1204441.20","rows":41208,"checked":true,"note":null,"outlets":[{"name":"Bar","revenue":"640120.10","days":[31,30,29]},{"name":"Terrace","revenue":"180.00","days":[]},{"name":"Kitchen","revenue":"564141.10","days":[31,31,30]}]}`)
		p.Output.Stderr = "warning: 3 rows without an outlet\n"
		p.Output.Turns = []int{14, 34, 999, 0}
		p.Output.Stdout += "41,208 rows, total 1,204,441.20\n"
	}
	if x.Status == app.StatusError {
		p.Script = strings.Replace(sampleScript, "ORACLE_PASSWORD", "ORACLE_PASSWRD", 1)
		p.Output.Stderr = x.Error + "\n"
		p.Redactions = map[string]redact.Hits{"stderr": {{Name: "ORACLE_PASSWORD", Count: 1}}}
	}
	return p
}

func sampleSummaries() map[string]components.Summary {
	all := map[string]components.Summary{}
	for _, x := range sampleExecutions() {
		all[x.Handle] = components.Summary{Text: `rows = httpx.get("https://simphony.example.com/v1/checks").json()`, Code: true}
	}
	all["d1b2c3d4e5f6"] = components.Summary{Text: `{"total":"1204441.20","rows":41208,"outlets":["Bar","Terrace"]}`, Code: true}
	return all
}

// refusedExecution failed for hosts: allowable, since allowed, and rejecting the credential.
func refusedExecution() executionview.ExecutionPage {
	p := executionPage(4)
	refusal := "fx.acme.test:443 is not on this profile's host list (rule: not on the list)."
	p.Execution.Error = "Traceback (most recent call last):\n  File \"script.py\", line 4, in <module>\n    rows = " +
		"fetch(start)  # the rates of the day\n           ^^^^^^^^^^^^\nhttpx.ConnectError: [Errno -2] Name or service not known\n" +
		refusal + "\nFor more information check: https://developer.mozilla.org/en-US/docs/Web/HTTP/Status/401"
	p.Obstacles = []executionview.Obstacle{
		{Sentence: refusal, Host: &app.HostRequest{Host: host("fx.acme.test:443")}},
		{Sentence: "rates.example.org:443 is not on this profile's host list (rule: not on the list).",
			Host: &app.HostRequest{Host: host("rates.example.org:443"), Allowed: true}},
		{Sentence: "api.acme.test answered 401 to ACME_TOKEN.", Credential: "ACME_TOKEN"},
	}
	p.Problems = components.Problems{"rerun-inputs": "inputs is not valid JSON. Send one JSON value."}
	p.TypedInputs = `{"month": "2026-10",`
	return p
}

func previewedExecution(p executionview.Preview) executionview.ExecutionPage {
	page := executionPage(3)
	sum := strings.Repeat("0f1e", 16)
	url := "/executions/x/artifacts/a?signature=y"
	page.Files = executionview.Files{Inputs: []app.InputFile{{Name: "orders.csv", Size: 2_400_000, SHA256: sum, Kept: true}},
		Artifacts: []executionview.Artifact{
			{Artifact: app.Artifact{Name: "revenue-by-month.csv", Size: 12_345, SHA256: sum, Type: "text/csv", Masked: 2}, URL: url},
			{Artifact: app.Artifact{Name: "report.xlsx", Size: 88_000, Withheld: "It holds a secret value.", Key: "ORACLE_PASSWORD"}},
			{Artifact: app.Artifact{Name: "chart.png", Size: 512_000, SHA256: sum, Type: "image/png"}, URL: url},
			{Artifact: app.Artifact{Name: strings.Repeat("a-long-name-", 9) + ".pdf", Size: 1_000, SHA256: sum}, URL: url},
			{Artifact: app.Artifact{Name: "gone.txt", Size: 1_000, SHA256: sum}},
		}, Preview: &p}
	return page
}

// samplePNG is a square of one colour.
const samplePNG = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg=="

// previewedTable has many columns, one of them wide.
func previewedTable() executionview.Preview {
	rows := [][]string{strings.Split("month,revenue,currency,store,manager,comment,discount,tax,net,gross,visits,baskets", ",")}
	for range 12 {
		rows = append(rows, strings.Split("2026-10,1234567.89,EUR,Nürnberg Süd,Zoë \u202eD'Arcy,"+strings.Repeat("a long comment ", 6)+
			",0.05,19,1.0,2.0,12345,678", ","))
	}
	return executionview.Preview{Name: "revenue-by-month.csv", Type: "text/csv", Table: rows,
		Note: "This is the beginning. Download the file to see all of it."}
}

// repeatedExecution is a re-run with another policy and result.
func repeatedExecution() executionview.ExecutionPage {
	p := executionPage(3)
	differs := false
	p.Execution.RerunOf = "e1b2c3d4e5f6"
	original := sampleExecutions()[3]
	original.Manifest.ResultHash = strings.Repeat("ab", 32)
	p.Repeat = &executionview.Repeat{Original: original, SameResult: &differs, Differs: []string{"policy", "inputs"}}
	p.Changes = []string{"+ fx.acme.test:443"}
	return p
}

// samples returns all pages in all visibly different situations.
func samples() []sample {
	list := executionview.ListPage{Shell: shell("Executions", layout.SectionExecutions), Executions: sampleExecutions(),
		Profiles: []components.Choice{{Value: "h", Word: "Monthly revenue report"}}, Older: "/ui/executions?before=g",
		Here: paths.Executions, CSV: paths.ExecutionsExport, Lines: paths.ExecutionsExport,
		Count: "At least 1,000 executions", Summaries: sampleSummaries()}
	searched := list
	searched.Count, searched.Summaries = "1 execution", map[string]components.Summary{"e1b2c3d4e5f6": {
		Match: true, Before: "rows = fetch(start) # a ", Text: "KeyError", After: " here means that the month isn't closed"}}
	searched.Query, searched.Executions = url.Values{"text": {"KeyError"}, "status": {string(app.StatusError)},
		"from": {"2026-11-01"}, "host": {"api.example.com"}, "credential": {"ORACLE_PASSWORD"}}, sampleExecutions()[4:5]
	searched.Problems, searched.Unfinished,
		searched.Credentials = components.Problems{"to": "\"31.11.\" is not a date. Write it like 2026-11-30."}, true,
		[]string{"ORACLE_PASSWORD"}
	refused, unmatched, unfinished := searched, searched, searched
	refused.Executions, refused.Count, refused.Unfinished, refused.Older = nil, "", false, ""
	unmatched.Executions, unmatched.Problems, unmatched.Unfinished, unmatched.Older = nil, nil, false, ""
	unfinished.Executions, unfinished.Problems, unfinished.Count = nil, nil, ""
	searched.Problems = nil
	first := dashboardview.OverviewPage{Shell: shell("Overview", layout.SectionOverview), Step: 1, Box: sampleBox()}
	first.NeedsYou = 0
	second := first
	second.Step = 2
	second.Needs = sampleNeeds()[1:2]
	second.NeedsYou = 1
	full := second
	full.Checks = []dashboardview.Check{
		{Word: "Sandbox", At: ago(9 * time.Hour), URL: paths.Sandbox}, {Word: "Backup", URL: paths.SettingsBackups},
		{Word: "Audit log", At: ago(20 * time.Minute), Bad: true, URL: paths.Audit},
	}
	full.Summaries = sampleSummaries()
	full.Step, full.Executions, full.Usage = 0, sampleExecutions(), sampleUsage(dashboardview.Periods()[0])
	busy := full
	busy.Needs, busy.NeedsYou = sampleNeeds(), 5
	unsaved := full
	unsaved.Needs, unsaved.NeedsYou = append([]dashboardview.Need{failedBackupNeed()}, full.Needs...), 2
	inbox := dashboardview.InboxPage{Shell: shell("Inbox", layout.SectionInbox), Needs: sampleNeeds()}
	inbox.NeedsYou = 5
	quiet := dashboardview.StatsPage{Shell: shell("Statistics", layout.SectionStatistics),
		Usage: dashboardview.Usage{Period: dashboardview.Periods()[2]}}
	broken := first
	broken.Box = dashboardview.BoxState{Backend: "bubblewrap",
		Reason:  "User namespaces are switched off on this machine. Run: sysctl -w kernel.unprivileged_userns_clone=1",
		Workers: 4}
	daily := sampleProfile(app.StateUnlocked)
	daily.Description = "Daily stock check"
	credential := credentialview.CredentialPage{Shell: shell("ORACLE_PASSWORD", layout.SectionCredentials),
		Credential: sampleCredentials()[1], Hosts: "oracle.corp.example.com:1521",
		Typed:      app.Credential{Mode: app.ModeInjected, Description: "Read-only user REPORTING"},
		Profiles:   []app.Profile{sampleProfile(app.StateLocked), daily},
		Superseded: 30}
	fresh := credentialview.CredentialPage{Shell: shell("Add a credential", layout.SectionCredentials), New: true,
		Typed:    app.Credential{Name: "2FAST", Mode: app.ModeInjected},
		Problems: components.Problems{"name": `"2FAST" can't be a key name. Use letters, digits and underscores, and don't start with a digit.`, "value": "The value is empty. Type the value."}}
	sealed := credentialview.CredentialPage{Shell: shell("SIMPHONY_API_KEY", layout.SectionCredentials),
		Credential: sealedCredential(), Typed: sealedCredential(), Hosts: "simphony.example.com\n*.eu.simphony.example.com:443",
		Profiles: []app.Profile{sampleProfile(app.StateLocked)}, Superseded: 30,
		Check: credentialview.CheckForm{Targets: []string{"simphony.example.com:443"},
			Wildcards: []string{"*.eu.simphony.example.com"}, Typed: url.Values{"target": {"simphony.example.com:443"}, "test_path": {"/v1/me"}}}}
	sealed.Sent = []app.SentValue{
		{Execution: "d1b2c3d4e5f6", Profile: "Monthly revenue report from Oracle", Connection: app.Connection{
			Host: "simphony.example.com", Port: 443, Method: "GET", Path: "/v1/checks?from=2026-10-01&api_key=[SEALED:SIMPHONY_API_KEY]",
			Status: 200, Line: 4, StartedAt: ago(3 * time.Minute)}},
		{Execution: "e1b2c3d4e5f6", Profile: "Nightly stock check", Connection: app.Connection{
			Host: "simphony.example.com", Port: 443, Method: "POST", Path: "/v1/" + strings.Repeat("very-long-", 12), Status: 401,
			StartedAt: ago(3 * time.Hour)}},
	}
	worked := sealed
	worked.Typed.PlainHTTP = true
	worked.Check.Outcome = &testrequest.Result{URL: "https://simphony.example.com/v1/me", Proved: true, Without: 401,
		Swapped: true, Status: 200, Took: 84 * time.Millisecond}
	failed := sealed
	failed.Credential.CheckedAt, failed.Credential.CheckProved = noon, false
	failed.Credential.CheckError = "Its certificate expired."
	failed.Check.Outcome = &testrequest.Result{URL: "https://simphony.example.com/v1/me",
		Took:    31 * time.Millisecond,
		Problem: "simphony.example.com:443 is allowed, but its certificate expired (rule: certificate expired).",
		Hint:    "Ask the person who runs that host to renew it, or name its authority in AIRLOCK_EXTRA_CA."}
	reachedOnly := sealed
	reachedOnly.Credential.CheckedAt, reachedOnly.Credential.CheckProved = noon, false
	reachedOnly.Check.Outcome = &testrequest.Result{URL: "https://simphony.example.com/", Swapped: true, Status: 200, Without: 200,
		Took: 84 * time.Millisecond, Hint: "Name a path that answers only with a valid key, such as /v1/me."}
	refusedTest := sealed
	refusedTest.Credential.CheckError = "The host got the value and did not accept it: it answered Unauthorized."
	refusedTest.Check.Typed, refusedTest.Check.Problems = url.Values{"test_host": {"evil.example"}},
		components.Problems{"test_host": "The value of SIMPHONY_API_KEY may not go to evil.example. Choose one of the " +
			"credential's hosts."}
	another := credentialview.CredentialPage{Shell: shell("Add a credential", layout.SectionCredentials), New: true,
		Typed: app.Credential{Mode: app.ModeSealed}}
	noticed := profilePage(app.StateLocked)
	noticed.Notice = "The profile is locked. Its agent can use it now."
	asking := profilePage(app.StateLocked)
	asking.Hosts = append(asking.Hosts,
		hostForm(host("api.exchange.example:443"), "", false, ago(time.Minute)),
		hostForm(host("rates.example.org"), "Exchange rates of the day.", false, ago(time.Hour)))
	asking.Hosts[len(asking.Hosts)-2].Execution = "d1b2c3d4e5f6"
	lengthy := lengthyProfile()
	stranded := profilePage(app.StateLocked)
	stranded.Allowed = stranded.Allowed[:1]
	change := profileview.HostsPage{Shell: shell("Change the hosts", layout.SectionProfiles),
		Profile: sampleProfile(app.StateLocked), Granted: sampleGrants(sampleKeys(true)),
		Allowed: []app.Host{host("oracle.corp.example.com:1521"), host("simphony.example.com"),
			host("api.exchange.example:443")},
		Fields: []components.Choice{{Value: "new_host", Word: "api.exchange.example:443"}}}
	for i := range change.Profile.Hosts {
		change.Profile.Hosts[i].Allowed = true
	}
	unlocked := profilePage(app.StateUnlocked)
	wrong := profilePage(app.StateUnlocked)
	wrong.Problems = components.Problems{"value.ORACLE_DSN": "The value is empty. Type the value.",
		"new_host": `Host "https://x" can't be used: write it as host or host:port.`}
	wrong.NewHost = "https://x"
	ready := sampleProfile(app.StateLocked)
	ready.CreatedAt, ready.Locked = ago(4*time.Minute), false
	for i := range ready.Hosts {
		ready.Hosts[i].Allowed = true
	}
	undone := profilePage(app.StateRevoked)
	undone.Profile.RevokedAt, undone.Profile.RevokedAs = ago(2*time.Minute), undone.Profile.UpdatedAt
	noticed.Beats = sampleBeats(31)
	refusedSettings := sampleSettings()
	refusedSettings.Token, refusedSettings.Invitations,
		refusedSettings.Paused = auth.TokenState{MadeAt: ago(time.Hour)}, nil,
		layout.Paused{Since: ago(3 * time.Minute), By: "Grace Hopper"}
	refusedSettings.Retention, refusedSettings.Database, refusedSettings.Reusable = retention.Status{}, 700<<20, 0
	refusedSettings.Disk =
		layout.Disk{Free: 3 << 20, Size: 1 << 30, Reserve: 102 << 20, Full: true}
	refusedSettings.Problems = components.Problems{"password-again": "This doesn't match the field above."}
	losing := shell("Log in", "")
	losing.DataLoss = "The data directory /data isn't on a persistent volume. The next deploy or restart deletes " +
		"everything, including credentials. To keep it, give the service a disk with the mount path /data (the " +
		"free plan has none)."

	readCredential, readSetup := credential, unlocked // as viewers see them
	readCredential.Role, readSetup.Role = app.RoleViewer, app.RoleViewer
	return append(transferSamples(), []sample{
		{"login-losing", authview.Login(
			authview.LoginPage{Shell: losing, Token: true, First: true,
				TokenAt: "On Render the admin token is the value of AIRLOCK_ADMIN_TOKEN: your service's page, " +
					"Environment."}),
			true},
		{"settings-losing", settingsview.Settings(sampleLosing(losing.DataLoss)), false},
		{"login", authview.Login(authview.LoginPage{Shell: shell("Log in", "")}), true},
		{"login-refused", authview.Login(
			authview.LoginPage{Shell: shell("Log in", ""), Name: "Ada Lovelace", Problem: "The name or the password " +
				"is wrong."}),
			true},
		{"login-passkey", authview.Login(authview.LoginPage{Shell: shell("Log in", ""), Passkeys: &components.PasskeyForm{
			Origin: "https://airlock.example.com", Problem: "This passkey is not known here, or it took too long."}}), true},
		{"passkey-new", settingsview.NewPasskey(settingsview.NewPasskeyPage{Shell: shell("Add a passkey",
			layout.SectionSettings), Name: "Chrome on Linux", Form: components.PasskeyForm{
			Origin: "https://airlock.example.com"}}), false},
		{"login-token", authview.Login(authview.LoginPage{Shell: shell("Log in", ""), Token: true, First: true}), true},
		{"login-spent", authview.Login(
			authview.LoginPage{Shell: shell("Log in", ""), Token: true,
				Said: "Your session expired and nothing was saved. Log in, then send the form again.",
				Problem: "This token was used by Ada Lovelace on 1 March 2026 at 12:00 UTC, from 192.168.1.7; it works " +
					"only once."}),
			true},
		{"welcome", authview.Welcome(authview.WelcomePage{Shell: shell("Create your account", ""), Known: true}), true},
		{"welcome-refused", authview.Welcome(
			authview.WelcomePage{Shell: shell("Create your account", ""), First: true, Name: "Ada",
				Problems: components.Problems{"password": "The password is easy to guess. Use a " +
					"few words that don't belong together."}}), true},
		{"fresh", authview.Password(authview.PasswordPage{Shell: shell("Confirm your password", ""),
			Name:     "Ada Lovelace",
			Problem:  "That is not your password.",
			Passkeys: &components.PasskeyForm{Origin: "https://airlock.example.com"}}), false},
		{"overview-first", dashboardview.Overview(first), false},
		{"overview-second", dashboardview.Overview(second), false},
		{"overview", dashboardview.Overview(full), false},
		{"overview-busy", dashboardview.Overview(busy), false},
		{"inbox", dashboardview.Inbox(inbox), false},
		{"inbox-empty", dashboardview.Inbox(dashboardview.InboxPage{Shell: shell("Inbox", layout.SectionInbox)}), false},
		{"stats", dashboardview.Stats(dashboardview.StatsPage{Shell: shell("Statistics", layout.SectionStatistics),
			Usage: sampleUsage(dashboardview.Periods()[1])}), false},
		{"stats-empty", dashboardview.Stats(quiet), false},
		{"overview-broken", dashboardview.Overview(broken), false},
		{"credentials-empty", credentialview.List(
			credentialview.ListPage{Shell: shell("Credentials", layout.SectionCredentials)}), false},
		{"credentials", credentialview.List(
			credentialview.ListPage{Shell: shell("Credentials", layout.SectionCredentials),
				Credentials: sampleCredentials()}),
			false},
		{"credential-paste", credentialview.Paste(
			credentialview.PastePage{Shell: shell("Paste a .env file", layout.SectionCredentials),
				Lines: []dotenv.Problem{{Line: 3,
					Message: "This is not NAME=value. A value of several lines needs quotes around it."},
					{Line: 9, Message: "The quote is not closed."}}}), false},
		{"credential-preview", credentialview.Preview(samplePreview()), false},
		{"credential-delete", layout.Confirm(sampleDeletion(false)), false},
		{"credential-delete-blocked", layout.Confirm(sampleDeletion(true)), false},
		{"search", dashboardview.Search(dashboardview.SearchPage{Shell: shell("Search", ""), Text: "re",
			Found: samplePlaces()}),
			false},
		{"search-nothing", dashboardview.Search(dashboardview.SearchPage{Shell: shell("Search", ""), Text: "xyzzy"}), false},
		{"profiles-filtered", profileview.List(
			profileview.ListPage{Shell: shell("Profiles", layout.SectionProfiles), Total: 4,
				Query: url.Values{"q": {"nothing"}, "state": {string(app.StateLocked)}}}), false},
		{"profile-undo", profileview.Profile(undone), false},
		{"credential", credentialview.Credential(credential), false},
		{"credential-viewer", credentialview.Credential(readCredential), false},
		{"credential-refused", credentialview.Credential(fresh), false},
		{"credential-new", credentialview.Credential(another), false},
		{"credential-sealed", credentialview.Credential(sealed), false},
		{"credential-works", credentialview.Credential(worked), false},
		{"credential-fails", credentialview.Credential(failed), false},
		{"credential-reached", credentialview.Credential(reachedOnly), false},
		{"credential-untested", credentialview.Credential(refusedTest), false},
		{"confirm", layout.Confirm(layout.ConfirmPage{Shell: shell("Revoke", layout.SectionProfiles),
			Question: "Revoke Monthly revenue report from Oracle?",
			Lines: []string{"Running scripts are stopped at once and their connections closed.",
				"Its agent can't run, poll or answer anything with it any more.",
				"This can't be undone. Past executions stay readable here."}, Action: "/ui/x",
			Button: "Revoke Monthly revenue report from Oracle", Back: paths.Profiles}), false},
		{"profiles-empty", profileview.List(profileview.ListPage{Shell: shell("Profiles", layout.SectionProfiles)}),
			false},
		{"profiles", profileview.List(
			profileview.ListPage{Shell: shell("Profiles", layout.SectionProfiles), Total: 6,
				Profiles: sampleProfiles()}),
			false},
		{"profile-new", profileview.New(profileview.NewPage{Shell: shell("Create a profile", layout.SectionProfiles)}),
			false},
		{"profile-setup", profileview.Profile(unlocked), false},
		{"profile-setup-viewer", profileview.Profile(readSetup), false},
		{"profile-lengthy", profileview.Profile(lengthy), false},
		{"profile-refused", profileview.Profile(wrong), false},
		{"profile-lock", profileview.Lock(
			profileview.LockPage{Shell: shell("Lock", layout.SectionProfiles), Profile: ready,
				Granted: sampleGrants(ready.Keys),
				Allowed: profilePage(app.StateLocked).Allowed}), false},
		{"profile-lock-unresolved",
			profileview.Lock(profileview.LockPage{Shell: shell("Lock", layout.SectionProfiles), Profile: ready,
				Granted: sampleGrants(ready.Keys), Allowed: profilePage(app.StateLocked).Allowed,
				Unresolved: []profileview.Unresolved{{Key: "ORACLE_PASSWORD", Credential: "ORACLE_PASSWORD",
					Problem: "There is no secret at this path."}}}),
			false},
		{"profile-lock-stranded",
			profileview.Lock(profileview.LockPage{Shell: shell("Lock", layout.SectionProfiles), Profile: ready,
				Granted: sampleGrants(ready.Keys), Allowed: profilePage(app.StateLocked).Allowed[:1]}), false},
		{"profile-hosts", profileview.Hosts(change), false},
		{"profile-stranded", profileview.Profile(stranded), false},
		{"profile-locked", profileview.Profile(noticed), false},
		{"profile-asking", profileview.Profile(asking), false},
		{"profile-access", profileview.Profile(tabbed(profilePage(app.StateLocked), profileview.TabAccess)), false},
		{"profile-settings", profileview.Profile(tabbed(profilePage(app.StateLocked), profileview.TabSettings)), false},
		{"profile-revoked", profileview.Profile(profilePage(app.StateRevoked)), false},
		{"profile-revoked-access", profileview.Profile(tabbed(profilePage(app.StateRevoked), profileview.TabAccess)), false},
		{"executions", executionview.List(list), false},
		{"executions-searched", executionview.List(searched), false},
		{"executions-search-refused", executionview.List(refused), false},
		{"executions-search-unfinished", executionview.List(unfinished), false},
		{"executions-unmatched", executionview.List(unmatched), false},
		{"executions-empty", executionview.List(executionview.ListPage{Shell: shell("Executions",
			layout.SectionExecutions)}),
			false},
		{"execution-running", executionview.Execution(executionPage(0)), false},
		{"execution-asking", executionview.Execution(executionPage(1)), false},
		{"execution-completed", executionview.Execution(executionPage(3)), false},
		{"execution-error", executionview.Execution(executionPage(4)), false},
		{"execution-queued", executionview.Execution(executionPage(2)), false},
		{"execution-timeout", executionview.Execution(executionPage(5)), false},
		{"execution-cancelled", executionview.Execution(executionPage(6)), false},
		{"execution-refused", executionview.Execution(refusedExecution()), false},
		{"execution-table", executionview.Execution(previewedExecution(previewedTable())), false},
		{"execution-image", executionview.Execution(previewedExecution(executionview.Preview{Name: "chart.png",
			Type: "image/png", Image: "data:image/png;base64," + samplePNG})), false},
		{"execution-text", executionview.Execution(previewedExecution(executionview.Preview{Name: "notes.md",
			Type: "text/markdown", Text: "# Notes\n\n" + strings.Repeat("A long line that wraps. ", 20) + "\n<b>not bold</b>\n"})), false},
		{"execution-rerun", executionview.Execution(repeatedExecution()), false},
		{"compare", executionview.Compare(sampleCompare()), false},
		{"compare-choose", executionview.Compare(
			executionview.ComparePage{Shell: shell("Compare", layout.SectionExecutions), This: sampleCompare().This,
				Choices: sampleCompare().Choices}), false},
		{"sandbox", dashboardview.Sandbox(
			dashboardview.SandboxPage{Shell: shell("Sandbox", layout.SectionSandbox), Box: sampleBox()}), false},
		{"sandbox-checking", dashboardview.Sandbox(
			dashboardview.SandboxPage{Shell: shell("Sandbox", layout.SectionSandbox),
				Box: dashboardview.BoxState{Checking: true, Workers: 4, Queued: 1,
					Backends: []dashboardview.BoxBackend{{Name: "bubblewrap", Checking: true}, {Name: "landlock",
						Checking: true}}}}),
			false},
		{"audit", auditview.Audit(auditview.Page{Shell: shell("Audit", layout.SectionAudit),
			Chain: appaudit.State{Through: 11, Whole: ago(time.Hour)}, Older: "/ui/audit?before=3",
			Archived: []auditview.ArchivedLog{
				{Source: "3f9ac01b77d2e844", Events: 41208, First: ago(4000 * time.Hour), Last: ago(40 * time.Hour)},
				{Source: "90aa11c4e5d2f7b63b8c0de14f5a6978", Events: 7, First: ago(4000 * time.Hour), Last: ago(60 * time.Hour)}},
			Events: sampleEvents()}), false},
		{"audit-lengthy", auditview.Audit(lengthyAudit()), false},
		{"settings", settingsview.Settings(sampleSettings()), false},
		{"settings-refused", settingsview.Settings(refusedSettings), false},
		{"settings-people", settingsview.Settings(settingsAt(sampleSettings(), paths.SettingsPeople)), false},
		{"settings-people-fresh", settingsview.Settings(settingsAt(refusedSettings, paths.SettingsPeople)), false},
		{"settings-instance", settingsview.Settings(settingsAt(sampleSettings(), paths.SettingsInstance)), false},
		{"settings-paused", settingsview.Settings(settingsAt(refusedSettings, paths.SettingsInstance)), false},
		{"settings-data", settingsview.Settings(settingsAt(sampleSettings(), paths.SettingsData)), false},
		{"settings-full", settingsview.Settings(settingsAt(refusedSettings, paths.SettingsData)), false},
		{"settings-invited", settingsview.Invited(
			settingsview.InvitedPage{Shell: shell("An invitation", layout.SectionSettings),
				Token: "atk_0123456789abcdefghjkmnpqrstvwxyz", Role: app.RoleOperator, Expires: noon.Add(72 * time.Hour)}), false},
		{"audit-broken", auditview.Audit(
			auditview.Page{Shell: shell("Audit", layout.SectionAudit),
				Chain: appaudit.State{Broken: 3, Whole: ago(time.Minute)},
				Query: url.Values{"action": {"profile.lock"}}}),
			false},
		{"settings-vault", settingsview.Settings(
			settingsview.SettingsPage{Shell: sampleSettings().Shell, Address: "192.168.1.7", Here: paths.SettingsInstance,
				Vault: &credentials.VaultStatus{Health: vault.Health{
					Address: "https://vault.corp.example.com:8200", Namespace: "reports", Method: "AppRole",
					Version:  "1.21.1",
					LoggedIn: true, Renewable: true, Expires: noon.Add(40 * time.Minute)}, Leases: 2, Failed: 1,
					Why: "Vault is sealed.",
				}}), false},
		{"credential-vault", credentialview.Credential(credentialview.CredentialPage{
			Shell: shell("ORACLE_PASSWORD", layout.SectionCredentials),
			Credential: app.Credential{ID: "c", Name: "ORACLE_PASSWORD", Mode: app.ModeInjected,
				Source:    app.SourceVault,
				Reference: "secret/data/oracle#password", Uses: 3},
			OffersVault: true,
			Typed:       app.Credential{Mode: app.ModeInjected, Source: app.SourceVault, Reference: "secret/data/oracle#password"},
			Finding: &vault.Inspection{Engine: "KV version 2", Version: 4, Created: ago(50 * time.Hour),
				Problem: "What is stored there in Vault has no field of that name.",
				Hint:    "Correct the field after # in the credential's reference."},
		}), false},
		{"overview-backup", dashboardview.Overview(unsaved), false},
		{"error", layout.Error(layout.ErrorPage{Shell: shell("Not found", ""), Status: 404,
			Message: "There is nothing at this address", Hint: "It may have been deleted, or the link is incomplete."}),
			false},
		{"error-bare", layout.Error(layout.ErrorPage{Shell: shell("Forbidden", ""), Status: 403,
			Message: "The request comes from a page of another site", Hint: "Open Airlock itself and try again there.",
			Bare: true}), true},
	}...)
}
