package content

import (
	"fmt"

	"github.com/computclaw/airlock/app"
)

// Counts are numbers of things in a file.
type Counts struct {
	Credentials int64 `json:"credentials"`
	Profiles    int64 `json:"profiles"`
	Policies    int64 `json:"policies"`
	Skills      int64 `json:"skills"`  // absent before content 5, as are the next two
	Bundles     int64 `json:"bundles"` // the files of a version each
	Approvals   int64 `json:"approvals"`
	Executions  int64 `json:"executions"`
	Parts       int64 `json:"parts"` // what hangs on executions
	Days        int64 `json:"days"`
	People      int64 `json:"people"`
	Events      int64 `json:"events"`
	Archived    int64 `json:"archived"` // of other instances' audit logs
}

func (c *Counts) count(r Record) {
	switch r.Kind() {
	case KindCredential:
		c.Credentials++
	case KindProfile:
		c.Profiles++
	case KindPolicy:
		c.Policies++
	case KindSkill:
		c.Skills++
	case KindBundle:
		c.Bundles++
	case KindApproval:
		c.Approvals++
	case KindExecution:
		c.Executions++
	case KindPart:
		c.Parts++
	case KindStats:
		c.Days++
	case KindPerson:
		c.People++
	case KindEvent:
		c.Events++
	case KindArchived:
		c.Archived++
	}
}

// String says it in words.
func (c Counts) String() string {
	skills := ""
	if c.Skills > 0 {
		skills = ", " + app.Count(c.Skills, "skill")
	}
	return fmt.Sprintf("%s, %s%s and %s", app.Count(c.Credentials, "credential"), app.Count(c.Profiles, "profile"), skills,
		app.Count(c.Executions, "execution"))
}
