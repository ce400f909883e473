package settingsview

import (
	"time"

	"github.com/computclaw/airlock/app/backups"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// BackupsPage shows the settings and history of backups.
type BackupsPage struct {
	layout.Shell
	Form      BackupForm
	Set       bool
	Place     string
	Next      time.Time
	Problem   string
	Artifacts int64 // bytes of the contents that executions left
	Rows      []BackupRow
	Problems  components.Problems
}

// BackupForm is the form as typed, without secrets.
type BackupForm struct {
	backups.BackupSettings
	Keep          string
	HasPassphrase bool
	HasSecret     bool
}

func (f BackupForm) passphraseHint() string {
	if f.HasPassphrase {
		return "One is set. Leave this empty to keep it; a new one counts for backups from now on."
	}
	return "Keep it where you keep passwords: it alone opens the backups, even without this instance's key."
}

func (f BackupForm) secretHint() string {
	if f.HasSecret {
		return "One is set. Leave this empty to keep it."
	}
	return "It is kept sealed and never shown."
}

// BackupRow is one attempt.
type BackupRow struct {
	At     time.Time
	Status string
	Cause  string
	Name   string
	Size   int64
	Detail string
}

// frequencies are how often backups can be made.
func frequencies() []components.Choice {
	return components.Choices(
		"hourly", "Every hour", "daily", "Every day at 03:00", "weekly", "Sundays at 03:00")
}

// backupsEmpty tells the first step towards a backup.
func backupsEmpty(p BackupsPage) string {
	if p.Next.IsZero() {
		return "Make the first one now, to see that it works."
	}
	return "The first one is due at " + format.Exact(p.Next) + ". Make one now, to see that it works."
}

// backupLead says in one sentence how backups stand.
func backupLead(p BackupsPage) string {
	switch {
	case !p.Set, !p.Form.On:
		return "No backups are made. Turn them on below: each is sealed with a passphrase and verified."
	case p.Next.IsZero():
		return "Backups go " + p.Place + "."
	}
	return "Backups go " + p.Place + ". The next one is due " + format.Ago(p.Next, p.Now) + "."
}
