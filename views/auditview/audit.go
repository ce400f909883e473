package auditview

import (
	"slices"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// Row is one event.
type Row struct {
	app.Event
	Who  string // who caused it, by name
	Name string // of the subject, for people
	URL  string // page of the event's subject; "" if it has none
}

// Filter holds a search's conditions from the URL.
type Filter struct {
	Actor    string // kind
	Action   string
	Subject  string
	From, To string // days
}

// Page lists events, newest first.
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
	Live       bool   // the response replaces parts of an open page
}

// ArchivedRow is an imported audit log.
type ArchivedRow struct {
	Label      string // of the instance that wrote it
	Events     int64
	From, To   time.Time
	CSV, Lines string // URLs of the downloads
}

// Chain is the hash chain's state.
type Chain struct {
	Broken  int64 // first bad entry; 0 if it holds
	Through int64
	Whole   time.Time // of the last check from its beginning
}

func actorChoices() []components.Choice {
	return components.Choices(
		"", "Everybody", string(app.ActorPerson), "People", string(app.ActorAgent), "Agents",
		string(app.ActorCommand), "airlock admin", string(app.ActorSystem), "Airlock itself")
}

// actionChoices returns kinds of actions, and a chosen single action.
func actionChoices(chosen string) []components.Choice {
	all := components.Choices(
		"", "All actions", "credential", "Credentials", "profile", "Profiles", "execution", "Executions",
		"session", "Sessions", "admin", "Administration")
	known := slices.ContainsFunc(all, func(c components.Choice) bool { return c.Value == chosen })
	if chosen != "" && !known {
		all = append(all, components.Choice{Value: chosen, Word: format.ActionWord(chosen)})
	}
	return all
}

func subjectID(e Row) string { return "subject-" + strconv.FormatInt(e.Seq, 10) }
