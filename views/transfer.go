package views

import (
	"fmt"
	"strings"
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
	Total   int64    // 0 while that is not known
	Of      string   // Total in words
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

// The words, drawings and colours of how a thing of a file stands to what is here.
func (i PlanItem) stateWord() string {
	return map[string]string{"new": "New", "same": "The same here", "conflict": "Different here", "blocked": "Stays as it is"}[i.State]
}

func (i PlanItem) stateIcon() string {
	return map[string]string{"new": "plus", "same": "check", "conflict": "compare", "blocked": "locked"}[i.State]
}

func (i PlanItem) stateClass() string {
	return map[string]string{"new": "ready", "conflict": "person"}[i.State]
}

func (i PlanItem) verb() string {
	if i.State == "new" {
		return "Add"
	}
	return "Overwrite"
}

// planSummary counts what is new, different and the same.
func planSummary(p PlanView) string {
	if len(p.Items) == 0 {
		return "It has no credentials and no profiles."
	}
	counts := map[string]int{}
	for _, i := range p.Items {
		counts[i.State]++
	}
	var parts []string
	for _, s := range []struct{ state, words string }{{"new", "new"}, {"conflict", "different from what is here"}, {"same", "the same as here"}, {"blocked", "not to be changed by a file"}} {
		if n := counts[s.state]; n > 0 {
			parts = append(parts, itoa(n)+" "+s.words)
		}
	}
	return Count(int64(len(p.Items)), "thing") + ": " + strings.Join(parts, ", ") + ". Nothing happens before you confirm."
}

// jobLead says under the heading what a person can do.
func jobLead(p JobPage) string {
	if p.Plan != nil {
		return "Look through it. Only what is ticked is written, all of it or nothing."
	}
	return ""
}

// moveIndex are the parts of the page for moving house.
func moveIndex(p MovePage) []entry {
	list := []entry{{"export", "Export"}, {"import", "Import"}}
	if len(p.Points) > 0 {
		list = append(list, entry{"points", "Restore points"})
	}
	return append(list, entry{"retire", "Retire"}, entry{"key", "Instance key"})
}

// frequencies are how often backups can be made.
func frequencies() []Choice {
	return []Choice{{"hourly", "Every hour"}, {"daily", "Every day at 03:00"}, {"weekly", "Sundays at 03:00"}}
}

// backupsEmpty says what comes first where no backup was made yet.
func backupsEmpty(p BackupsPage) string {
	if p.Next.IsZero() {
		return "Make the first one now, to see that it works."
	}
	return "The first one is due at " + Exact(p.Next) + ". Make one now, to see that it works."
}

// backupLead says in one sentence how backups stand.
func backupLead(p BackupsPage) string {
	switch {
	case !p.Set, !p.Form.On:
		return "No backups are made. They would be sealed with a passphrase, and verified by restoring each one."
	case p.Next.IsZero():
		return "Backups go " + p.Place + "."
	}
	return "Backups go " + p.Place + ". The next one is due " + Ago(p.Next, p.Now) + "."
}
