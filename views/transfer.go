package views

import (
	"fmt"
	"time"

	"github.com/computclaw/airlock/app"
)

// MovePage is where an instance's things are moved out and in.
type MovePage struct {
	Shell
	Profiles []app.Profile // to choose from
	Points   []PointRow    // copies from before imports
	Retired  time.Time     // zero: it is not
	By       string        // who retired it
	KeyFrom  string        // where the instance key is from
	KeyID    string
	KeyRisk  string // why key and data are not apart; "" if they are
	Problems Problems
}

// PointRow is a copy of the database from before an import.
type PointRow struct {
	Name string
	At   time.Time
	Size int64
}

// JobPage shows an export or import under way, and what came of it.
type JobPage struct {
	Shell
	ID      string
	Title   string
	Running bool
	Failed  string // in words; "" if it didn't
	Done    int64
	Total   int64
	Lines   []string // of what came of it
	Size    int64    // of an export's file
	Plan    *PlanView
}

// PlanView is what an import would do.
type PlanView struct {
	From    []string // where the file is from, one sentence each
	Items   []PlanItem
	History string // what there is; "" if none
}

// PlanItem is one thing of a file.
type PlanItem struct {
	Field   string // of the form
	Kind    string
	Name    string
	State   string
	Facts   []string
	Changes []string
	Widens  bool
	Choice  bool // there is something to choose
	Yes     bool // chosen unless the person says otherwise
}

// BackupsPage shows how backups are set and how they went.
type BackupsPage struct {
	Shell
	Form     BackupForm
	Set      bool
	Place    string
	Next     time.Time
	Problem  string
	Rows     []BackupRow
	Problems Problems
}

// BackupForm is the form as typed; secrets are never in it.
type BackupForm struct {
	On            bool
	Every         string
	Keep          string
	Kind          string
	Directory     string
	Endpoint      string
	Region        string
	Bucket        string
	Prefix        string
	PathStyle     bool
	AccessKey     string
	HasPassphrase bool
	HasSecret     bool
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

// percent is how far something is, for people.
func percent(done, total int64) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf("%d %%", min(100, 100*done/total))
}

// fileSize writes bytes as people read them.
func fileSize(n int64) string {
	switch {
	case n >= 1<<30:
		return fmt.Sprintf("%.1f GiB", float64(n)/(1<<30))
	case n >= 1<<20:
		return fmt.Sprintf("%.1f MiB", float64(n)/(1<<20))
	case n >= 1<<10:
		return fmt.Sprintf("%.1f KiB", float64(n)/(1<<10))
	}
	return fmt.Sprintf("%d bytes", n)
}

// stateWord says how a thing of a file stands to what is here.
func (i PlanItem) stateWord() string {
	return map[string]string{"new": "new", "same": "the same here", "conflict": "different here", "blocked": "stays as it is here"}[i.State]
}

// backupLead says in one sentence how backups stand.
func backupLead(p BackupsPage) string {
	switch {
	case !p.Set, !p.Form.On:
		return "No backups are made. They would be sealed with a passphrase, and verified by restoring each one."
	case p.Next.IsZero():
		return "Backups go " + p.Place + "."
	}
	return "Backups go " + p.Place + ". The next one is due at " + Exact(p.Next) + "."
}

// profileName is what a profile is called in a list.
func profileName(p app.Profile) string {
	if p.Description == "" {
		return p.Handle
	}
	return p.Description
}
