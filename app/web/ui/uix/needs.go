package uix

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/skills"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// ProfileName returns a profile's name for people.
func ProfileName(profiles []app.Profile, handle string) string {
	if p := slices.IndexFunc(profiles, func(p app.Profile) bool { return p.Handle == handle }); p >= 0 {
		return format.Title(profiles[p].Description)
	}
	return "A deleted profile"
}

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

func skillNeeds(waiting []skills.Version) (all []dashboardview.Need) {
	for _, v := range waiting {
		all = append(all, dashboardview.Need{
			Icon: "skill", Title: "A skill waits for your review",
			Detail: fmt.Sprintf("%s, version %d, uploaded by %s. Nobody can run it yet.", v.Name, v.Number, format.Actor(v.By)),
			URL:    paths.SkillVersionURL(v.Name, v.Number), Action: "Review", At: v.Uploaded,
		})
	}
	return all
}

// questionNeeds lists scripts that wait for an answer from no agent. An entry leaves with the
// answer or the execution's end.
func questionNeeds(waiting []store.Unanswered, profiles []app.Profile) (all []dashboardview.Need) {
	for _, q := range waiting {
		name := ProfileName(profiles, q.ProfileHandle)
		all = append(all, dashboardview.Need{
			Icon: "awaiting_llm", Title: "A script waits for an answer",
			Detail: name + " asked the LLM, and no agent has answered. Start the agent, or answer yourself.",
			URL:    paths.ExecutionURL(q.Handle) + "#answer", Action: "See the question", At: q.AskedAt,
		})
	}
	return all
}

// rejectionNeeds lists credentials that hosts refused in runs. An entry leaves with a new value, an
// accepting host, or the profile's end.
func rejectionNeeds(
	rejected []store.Rejection, profiles []app.Profile, credentials []app.Credential, now time.Time,
) (all []dashboardview.Need) {
	for _, r := range rejected {
		p := slices.IndexFunc(profiles, func(p app.Profile) bool {
			return p.Handle == r.ProfileHandle && p.State(now) == app.StateLocked
		})
		if p < 0 {
			continue
		}
		c := slices.IndexFunc(credentials, func(c app.Credential) bool {
			return !c.ValueSetAt.After(r.At) && slices.ContainsFunc(profiles[p].Keys, func(k app.Key) bool {
				return k.Name == r.Key && k.CredentialID == c.ID
			})
		})
		if c < 0 {
			continue
		}
		name := credentials[c].Name
		all = append(all, dashboardview.Need{
			Icon: "key", Title: name + " rejected by " + r.Host,
			Detail: fmt.Sprintf("%s of %s got HTTP %d.", format.Count(int64(r.Runs), "run"),
				format.Title(profiles[p].Description), r.Status),
			URL: paths.CredentialURL(name), Action: "Set a new value", At: r.At,
		})
	}
	return all
}

// profileNeeds lists what profiles need a person for.
func profileNeeds(profiles []app.Profile, now time.Time) (all []dashboardview.Need) {
	for _, p := range profiles {
		n := dashboardview.Need{
			Icon: "profile", Title: format.Title(p.Description), Quoted: p.PairingCode != "",
			URL: paths.ProfileURL(p.Handle), At: p.CreatedAt,
		}
		asked, since := undecidedHosts(p)
		lacking := slices.IndexFunc(p.Keys, func(k app.Key) bool { return !k.ValueExists })
		switch state := p.State(now); {
		case state == app.StateUnlocked && p.PairingCode != "":
			n.Action, n.Code = "Review request", p.PairingCode
			n.Detail = "An agent at " + p.CreatedFrom + " asks for " + format.Count(int64(len(p.Keys)), "key") + " and " +
				format.Count(int64(len(asked)), "host") + "."
		case state == app.StateUnlocked:
			n.Action, n.Detail = "Finish setup", "It is being set up and not locked yet."
		case state == app.StateLocked && len(asked) > 0:
			n.Icon, n.Action, n.At = "globe", "Decide", since
			n.Detail = "Its agent asks for " + format.Count(int64(len(asked)), "more host") + ": " +
				app.Clip(strings.Join(asked, ", "), 120) + "."
		case state == app.StateLocked && lacking >= 0 && p.Keys[lacking].Credential != "":
			k := p.Keys[lacking]
			n.Icon, n.Action, n.URL, n.At = "key", "Set the value", paths.CredentialURL(k.Credential), p.LockedAt
			n.Detail = "Its key " + k.Name + " has no value, so its scripts are refused."
		default:
			continue
		}
		all = append(all, n)
	}
	return all
}

// undecidedHosts returns undecided hosts and the oldest request's time.
func undecidedHosts(p app.Profile) (names []string, since time.Time) {
	for _, h := range p.Hosts {
		if h.Allowed {
			continue
		}
		names = append(names, h.Brief())
		if since.IsZero() || h.CreatedAt.Before(since) {
			since = h.CreatedAt
		}
	}
	return names, since
}

// backupNeed reports a failed or missed last backup.
func backupNeed(last store.Backup) dashboardview.Need {
	title := "The last backup failed"
	if last.Status == store.BackupMissed {
		title = "Backups were missed"
	}
	return dashboardview.Need{
		Icon: "download", Title: title, Detail: format.Sentence(app.Clip(last.Error, 200)),
		URL: paths.SettingsBackups, Action: "See backups", At: last.FinishedAt,
	}
}

// vaultNeed reports that the Vault's values are unreadable.
func vaultNeed(v *VaultState) dashboardview.Need {
	return dashboardview.Need{
		Icon: "key", Title: "Vault isn't working",
		Detail: format.Sentence(v.Problem) + " Executions that need a value from it end in an error.",
		URL:    paths.SettingsInstance + "#vault", Action: "See Vault", At: v.failingSince,
	}
}
