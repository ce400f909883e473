package auditview

import (
	"strconv"
	"time"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// Row is one event.
type Row struct {
	app.Event
	URL string // page of what it is about, or "" if there is none (any more)
}

// Filter is what a person looks for, as it stands in the URL.
type Filter struct {
	Actor    string // kind
	Action   string
	Subject  string
	From, To string // days
}

// Page lists what was done, by whom, newest first.
type Page struct {
	layout.Shell
	Events     []Row
	Filter     Filter
	Older      string
	CSV, Lines string // URLs of the downloads
	Chain      Chain
	Archived   []ArchivedRow
	Problems   components.Problems
	Here       string // URL of this page, for refreshing; "" for older entries, which stand still
	Live       bool   // it replaces parts of a page that is open
}

// following makes the list ask for itself again when something was written.
func (p Page) following() templ.Attributes {
	if p.Here == "" {
		return nil
	}
	return templ.Attributes{"hx-get": p.Here, "hx-trigger": "audit from:body, connected from:body", "hx-swap": "innerMorph", "hx-target": "this"}
}

// ArchivedRow is an audit log that came with an import.
type ArchivedRow struct {
	Label      string // of the instance it is from
	Events     int64
	From, To   time.Time
	CSV, Lines string // URLs of the downloads
}

// Chain is what is known about the chain of hashes.
type Chain struct {
	Broken  int64 // first sequence number at which it does not hold; 0 if it holds
	Through int64
	Whole   time.Time // when it was last walked from its beginning
}

func actorChoices() []components.Choice {
	return []components.Choice{{Value: string(app.ActorPerson), Word: "People"}, {Value: string(app.ActorAgent), Word: "Agents"}, {Value: string(app.ActorCommand), Word: "airlock admin"}, {Value: string(app.ActorSystem), Word: "Airlock itself"}}
}

// actionChoices are the kinds of actions, and the one that was chosen if it is none of them.
func actionChoices(chosen string) []components.Choice {
	all := []components.Choice{{Value: "credential", Word: "Credentials"}, {Value: "profile", Word: "Profiles"}, {Value: "execution", Word: "Executions"}, {Value: "session", Word: "Sessions"}, {Value: "admin", Word: "Administration"}}
	for _, c := range all {
		if c.Value == chosen {
			return all
		}
	}
	if chosen != "" {
		all = append(all, components.Choice{Value: chosen, Word: chosen})
	}
	return all
}

// subjectID is the id of the element with an event's subject.
func subjectID(e Row) string { return "subject-" + strconv.FormatInt(e.Seq, 10) }
