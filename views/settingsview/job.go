package settingsview

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// JobPage shows an export or import under way, and what came of it.
type JobPage struct {
	layout.Shell
	ID      string
	Title   string
	Running bool
	Failed  string // in words; "" if it didn't
	Done    int64
	Total   int64    // 0 while that is not known
	Of      string   // Total in words
	Lines   []string // of what came of it
	Size    int64    // of an export's file
	Plan    *Plan
}

// Plan is what an import would do.
type Plan struct {
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
func planSummary(p Plan) string {
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
			parts = append(parts, strconv.Itoa(n)+" "+s.words)
		}
	}
	return format.Count(int64(len(p.Items)), "thing") + ": " + strings.Join(parts, ", ") + ". Nothing happens before you confirm."
}

// jobLead says under the heading what a person can do.
func jobLead(p JobPage) string {
	if p.Plan != nil {
		return "Look through it. Only what is ticked is written, all of it or nothing."
	}
	return ""
}
