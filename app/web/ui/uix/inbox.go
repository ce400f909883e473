package uix

import (
	"context"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// Needs lists everything that waits for a person, oldest first.
func (u *UI) Needs(ctx context.Context, profiles []app.Profile) ([]dashboardview.Need, error) {
	all, err := u.problems(ctx, profiles)
	if err != nil {
		return nil, err
	}
	scripts, err := u.Access.Approvals.Open(ctx)
	if err != nil {
		return nil, err
	}
	versions, err := u.Engine.Skills.ListWaiting(ctx)
	if err != nil {
		return nil, err
	}
	all = slices.Concat(all, approvalNeeds(scripts, profiles), skillNeeds(versions))
	slices.SortStableFunc(all, func(a, b dashboardview.Need) int { return a.At.Compare(b.At) })
	return all, nil
}

// countNeeds returns the number of Needs. Every page shows it and agents can make thousands wait,
// so it only counts code.
func (u *UI) countNeeds(ctx context.Context, profiles []app.Profile) (int, error) {
	all, err := u.problems(ctx, profiles)
	if err != nil {
		return 0, err
	}
	scripts, versions, err := u.Access.Approvals.CountUndecided(ctx)
	return len(all) + scripts + versions, err
}

// problems lists what waits for a person, except code.
func (u *UI) problems(ctx context.Context, profiles []app.Profile) ([]dashboardview.Need, error) {
	all := profileNeeds(profiles, u.Now())
	last, bad, err := u.Backups.BackupTrouble(ctx)
	if err != nil {
		return nil, err
	}
	if bad {
		all = append(all, backupNeed(last))
	}
	vault, err := u.Vault.State(ctx, VaultMaxAge)
	if err != nil {
		return nil, err
	}
	vaultFails := vault != nil && vault.Problem != ""
	if vaultFails {
		all = append(all, vaultNeed(vault))
	}
	credentials, err := u.Access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	for _, c := range credentials {
		n := dashboardview.Need{Icon: "key", Title: c.Name, URL: paths.CredentialURL(c.Name)}
		unread, unreadable := u.Access.Vault.Unreadable(c)
		switch {
		case c.CheckError != "" && !c.ValueSetAt.After(c.CheckedAt):
			n.Detail, n.Action, n.At = format.Sentence(c.CheckError), "Set a new value", c.CheckedAt
		case unreadable && !vaultFails:
			n.Detail = format.Sentence(unread.Problem) + " Executions that need it end in an error."
			n.Action, n.At = "See the reference", unread.Since
		default:
			continue
		}
		all = append(all, n)
	}
	rejected, err := u.Engine.Statistics.Rejections(ctx)
	if err != nil {
		return nil, err
	}
	unanswered, err := u.Engine.Statistics.ListUnanswered(ctx)
	return slices.Concat(all, rejectionNeeds(rejected, profiles, credentials, u.Now()),
		questionNeeds(unanswered, profiles)), err
}
