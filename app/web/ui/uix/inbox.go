package uix

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/access"
	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/app/engine"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// Inbox finds what waits for a person.
type Inbox struct {
	access  *access.Parts
	engine  *engine.Engine
	backups *backups.Service
	vault   *VaultWatch
	now     func() time.Time
}

// Needs lists everything that waits for a person, oldest first.
func (i *Inbox) Needs(ctx context.Context, profiles []app.Profile) ([]dashboardview.Need, error) {
	all, err := i.problems(ctx, profiles)
	if err != nil {
		return nil, err
	}
	scripts, err := i.access.Approvals.Open(ctx)
	if err != nil {
		return nil, err
	}
	versions, err := i.engine.Skills.Waiting(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.Concat(all, approvalNeeds(scripts, profiles), skillNeeds(versions))
	slices.SortStableFunc(all, func(a, b dashboardview.Need) int { return a.At.Compare(b.At) })
	return all, nil
}

// Count returns the number of Needs. Every page shows it and agents can make thousands wait, so it
// only counts code.
func (i *Inbox) Count(ctx context.Context, profiles []app.Profile) (int, error) {
	all, err := i.problems(ctx, profiles)
	if err != nil {
		return 0, err
	}
	scripts, versions, err := i.access.Approvals.Undecided(ctx)
	return len(all) + scripts + versions, err
}

// problems lists what waits for a person, except code.
func (i *Inbox) problems(ctx context.Context, profiles []app.Profile) (all []dashboardview.Need, err error) {
	credentials, err := i.access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	if n, waits, err := i.backupNeed(ctx); err != nil {
		return nil, err
	} else if waits {
		all = append(all, n)
	}
	n, vaultFails, err := i.vault.need(ctx)
	if err != nil {
		return nil, err
	}
	if vaultFails {
		all = append(all, n)
	}
	for _, p := range profiles {
		if n, waits := i.profileNeed(p); waits {
			all = append(all, n)
		}
	}
	for _, c := range credentials {
		if n, waits := credentialNeed(c); waits {
			all = append(all, n)
		} else if u, unreadable := i.access.Vault.Unreadable(c); unreadable && !vaultFails {
			all = append(all, dashboardview.Need{
				Icon: "key", Title: c.Name, Detail: format.Sentence(u.Problem) + " Executions that need it end in an error.",
				URL: paths.CredentialURL(c.Name), Action: "See the reference", At: u.Since,
			})
		}
	}
	rejected, err := i.engine.Statistics.Rejections(ctx)
	if err != nil {
		return nil, err
	}
	unanswered, err := i.engine.Statistics.Unanswered(ctx)
	if err != nil {
		return nil, err
	}
	return slices.Concat(all, rejectionNeeds(rejected, profiles, credentials, i.now()),
		questionNeeds(unanswered, profiles)), nil
}

// backupNeed reports a failed or missed last backup.
func (i *Inbox) backupNeed(ctx context.Context) (n dashboardview.Need, waits bool, err error) {
	last, bad, err := i.backups.BackupTrouble(ctx)
	if err != nil || !bad {
		return n, false, err
	}
	n = dashboardview.Need{
		Icon: "download", Title: "The last backup failed", Detail: format.Sentence(app.Clip(last.Error, 200)),
		URL: paths.SettingsBackups, Action: "See backups", At: last.FinishedAt,
	}
	if last.Status == store.BackupMissed {
		n.Title = "Backups were missed"
	}
	return n, true, nil
}

// profileNeed reports what a profile needs a person for.
func (i *Inbox) profileNeed(p app.Profile) (n dashboardview.Need, waits bool) {
	n = dashboardview.Need{
		Icon: "profile", Title: format.Title(p.Description), Quoted: p.PairingCode != "",
		URL: paths.ProfileURL(p.Handle), At: p.CreatedAt,
	}
	asked, since := undecidedHosts(p)
	switch p.State(i.now()) {
	case app.StateUnlocked:
		n.Action, n.Detail = "Finish setup", "It is being set up and not locked yet."
		if p.PairingCode != "" {
			n.Action, n.Code = "Review request", p.PairingCode
			n.Detail = "An agent at " + p.CreatedFrom + " asks for " + countRequests(len(p.Keys), len(asked)) + "."
		}
		return n, true
	case app.StateLocked:
		if len(asked) > 0 {
			n.Icon, n.Action, n.At = "globe", "Decide", since
			n.Detail = "Its agent asks for " + format.Count(int64(len(asked)), "more host") + ": " +
				app.Clip(strings.Join(asked, ", "), 120) + "."
			return n, true
		}
		for _, k := range p.Keys {
			if !k.ValueExists {
				n.Icon, n.Action, n.URL, n.At = "key", "Set the value", paths.CredentialURL(k.Credential), p.LockedAt
				n.Detail = "Its key " + k.Name + " has no value, so its scripts are refused."
				return n, k.Credential != ""
			}
		}
	}
	return n, false
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

// credentialNeed reports a failed last test of a credential's present value.
func credentialNeed(c app.Credential) (n dashboardview.Need, waits bool) {
	if c.CheckError == "" || c.ValueSetAt.After(c.CheckedAt) {
		return n, false
	}
	return dashboardview.Need{
		Icon: "key", Title: c.Name, Detail: format.Sentence(c.CheckError),
		URL: paths.CredentialURL(c.Name), Action: "Set a new value", At: c.CheckedAt,
	}, true
}

func countRequests(keys, hosts int) string {
	switch {
	case keys == 0 && hosts == 0:
		return "nothing so far"
	case hosts == 0:
		return format.Count(int64(keys), "key")
	case keys == 0:
		return format.Count(int64(hosts), "host")
	}
	return format.Count(int64(keys), "key") + " and " + format.Count(int64(hosts), "host")
}
