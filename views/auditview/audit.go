package auditview

import (
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/audit"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// Row is one event.
type Row struct {
	app.Event
	Who  string // who caused it, by name
	Name string // of the subject, for people
	URL  string // page of the event's subject; "" if it has none
}

// Page lists events, newest first.
type Page struct {
	layout.Shell
	Events     []Row
	Query      url.Values // the conditions
	Older      string
	CSV, Lines string // URLs of the downloads
	Chain      audit.State
	Archived   []ArchivedLog
	Problems   components.Problems
	Here       string // URL of this page, for refreshing; "" for older entries, which stand still
	Live       bool   // the response replaces parts of an open page
}

// ArchivedLog is an imported audit log. It has the fields of store.ArchivedLog.
type ArchivedLog struct {
	Source      string // label of the instance that wrote it
	Events      int64
	First, Last time.Time
}

func archivedURL(l ArchivedLog, as string) string {
	return paths.AuditExport + "?" + url.Values{"of": {l.Source}, "as": {as}}.Encode()
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
