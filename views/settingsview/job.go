package settingsview

import (
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// JobPage shows an export's or import's progress and outcome.
type JobPage struct {
	layout.Shell
	ID      string
	Title   string
	Backup  bool // of backups, not of Export & import
	Running bool
	Failed  string // in words; "" if it didn't
	Done    int64
	Total   int64    // 0 while that is not known
	Of      string   // Total in words
	Lines   []string // of what came of it
	Size    int64    // of an export's file
	Plan    *Plan
}

// home returns the page that started the job.
func (p JobPage) home() string {
	if p.Backup {
		return paths.SettingsBackups
	}
	return paths.SettingsMove
}

// isOver reports whether nothing is left to do or download.
func (p JobPage) isOver() bool {
	return !p.Running && p.Size == 0 && (p.Plan == nil || !p.Plan.offers())
}

func (p JobPage) homeName() string {
	if p.Backup {
		return "Backups"
	}
	return MoveTitle
}

// Plan is what an import would do.
type Plan struct {
	From    []string // where the file is from, one sentence each
	Items   []PlanItem
	History string // its summary; "" if none
}

// PlanItem is one thing of a file.
type PlanItem struct {
	Field  string // of the form
	Kind   string
	Name   string
	State  string
	Fields []string // what an import would set
	Why    []string // why it can't be imported, or is new but unselected
	Choice bool     // there is something to choose
	Yes    bool     // chosen unless the person says otherwise
}

// offers reports whether there is anything to import.
func (p Plan) offers() bool {
	return p.History != "" || slices.ContainsFunc(p.Items, func(i PlanItem) bool { return i.Choice })
}

// percent is how far something is, for people.
func percent(done, total int64) string {
	if total <= 0 {
		return ""
	}
	return fmt.Sprintf("%d%%", min(100, 100*done/total))
}

// planState compares a file's item with this instance.
type planState struct {
	name, icon, class string
	mark              string // on the item
	count             string // in the summary
}

// planStates returns the states in summary order.
func planStates() []planState {
	return []planState{
		{name: "new", icon: "plus", class: "ready", mark: "New", count: "new"},
		{name: "different", icon: "compare", class: "person", mark: "Different here", count: "different from what " +
			"is here"},
		{name: "same", icon: "check", mark: "The same here", count: "the same as here"},
		{name: "blocked", icon: "locked", mark: "Stays as it is", count: "can't be changed by a file"},
	}
}

// state looks up the state of an item.
func (i PlanItem) state() planState {
	for _, s := range planStates() {
		if s.name == i.State {
			return s
		}
	}
	return planState{}
}

// verb says what importing an item does.
func (i PlanItem) verb() string {
	if i.State == "new" {
		return "Add"
	}
	return "Overwrite"
}

// planSummary counts the items by their state.
func planSummary(p Plan) string {
	if len(p.Items) == 0 {
		return "It has no credentials, profiles or skills."
	}
	counts := map[string]int{}
	for _, i := range p.Items {
		counts[i.State]++
	}
	var parts []string
	for _, s := range planStates() {
		if n := counts[s.name]; n > 0 {
			parts = append(parts, strconv.Itoa(n)+" "+s.count)
		}
	}
	return format.Count(int64(len(p.Items)), "item") + ": " + strings.Join(parts, ", ") +
		"."
}

// jobLead tells a person's options under the heading.
func jobLead(p JobPage) string {
	if p.Plan != nil && p.Plan.offers() {
		return "Review the changes. Airlock imports all selected items, or none if one fails."
	}
	return ""
}
