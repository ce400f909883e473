package dashboard

import (
	"context"
	"slices"

	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/paths"
)

// checks dates the sandbox proof, the verified backup and the audit log.
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
	return []dashboardview.Check{
		{Word: "Sandbox", At: box.Standard().Proved, Bad: !box.Ready && !box.Checking, URL: paths.Sandbox},
		backup,
		{Word: "Audit log", At: chain.Whole, Bad: chain.Broken > 0, URL: paths.Audit},
	}, nil
}
