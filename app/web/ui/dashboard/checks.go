package dashboard

import (
	"context"
	"fmt"
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/paths"
)

// checks dates the sandbox proof, verified backup, audit log and credential tests.
func (h *Handlers) checks(ctx context.Context, box dashboardview.BoxState) ([]dashboardview.Check, error) {
	backups, err := h.Backups.BackupState(ctx)
	if err != nil {
		return nil, err
	}
	backup := dashboardview.Check{Word: "Backup", Bad: backups.Problem != "", URL: paths.SettingsBackups}
	if i := slices.IndexFunc(backups.List, func(b store.Backup) bool { return b.Status == store.BackupVerified }); i >= 0 {
		backup.At = backups.List[i].StartedAt
	}
	chain, err := h.Access.Audit.State(ctx, false)
	if err != nil {
		return nil, err
	}
	credentials, err := h.Access.Credentials.List(ctx)
	if err != nil {
		return nil, err
	}
	all := []dashboardview.Check{
		{Word: "Sandbox", At: box.ProvedAt(), Bad: !box.Ready && !box.Checking, URL: paths.Sandbox},
		backup,
		{Word: "Audit log", At: chain.Whole, Bad: chain.Broken > 0, URL: paths.Audit},
	}
	if tested, ok := testedCredentials(credentials); ok {
		all = append(all, tested)
	}
	return all, nil
}

// testedCredentials counts sealed credentials whose present value passed a test.
func testedCredentials(credentials []app.Credential) (c dashboardview.Check, ok bool) {
	sealed, good := 0, 0
	for _, one := range credentials {
		if one.Mode != app.ModeSealed {
			continue
		}
		sealed++
		if one.CheckedAt.IsZero() || one.CheckedAt.Before(one.ValueSetAt) {
			continue
		}
		if one.CheckError != "" {
			c.Bad = true
			continue
		}
		if !one.CheckProved {
			continue
		}
		good++
		if one.CheckedAt.After(c.At) {
			c.At = one.CheckedAt
		}
	}
	c.Word, c.URL = fmt.Sprintf("%d of %d credentials", good, sealed), paths.Credentials
	return c, sealed > 0
}
