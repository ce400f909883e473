package views

import (
	"strconv"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// AuditRow is one event.
type AuditRow struct {
	app.Event
	URL string // page of what it is about, or "" if there is none (any more)
}

// AuditFilter is what a person looks for, as it stands in the URL.
type AuditFilter struct {
	Actor    string // kind
	Action   string
	Subject  string
	From, To string // days
}

// AuditPage lists what was done, by whom, newest first.
type AuditPage struct {
	Shell
	Events     []AuditRow
	Filter     AuditFilter
	Older      string
	CSV, Lines string // URLs of the downloads
	Chain      AuditChain
	Archived   []ArchivedRow
	Problems   Problems
	Here       string // URL of this page, for refreshing; "" for older entries, which stand still
	Live       bool   // it replaces parts of a page that is open
}

// following makes the list ask for itself again when something was written.
func (p AuditPage) following() templ.Attributes {
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

// AuditChain is what is known about the chain of hashes.
type AuditChain struct {
	Broken  int64 // first sequence number at which it does not hold; 0 if it holds
	Through int64
	Whole   time.Time // when it was last walked from its beginning
}

func actorChoices() []Choice {
	return []Choice{{string(app.ActorPerson), "People"}, {string(app.ActorAgent), "Agents"}, {string(app.ActorCommand), "airlock admin"}, {string(app.ActorSystem), "Airlock itself"}}
}

// actionChoices are the kinds of actions, and the one that was chosen if it is none of them.
func actionChoices(chosen string) []Choice {
	all := []Choice{{"credential", "Credentials"}, {"profile", "Profiles"}, {"execution", "Executions"}, {"session", "Sessions"}, {"admin", "Administration"}}
	for _, c := range all {
		if c.Value == chosen {
			return all
		}
	}
	if chosen != "" {
		all = append(all, Choice{chosen, chosen})
	}
	return all
}

// who is who caused an event. Whoever types a wrong token is no agent: nothing is known of them but an address.
func who(e app.Event) string {
	if e.Action == "session.refuse" || e.Action == "session.enroll" { // nobody has said yet who they are
		return "Somebody at " + e.Actor.Address
	}
	return Actor(e.Actor)
}

// detail is an event's detail as a sentence.
func detail(e app.Event) string {
	first, size := utf8.DecodeRuneInString(e.Detail)
	if size == 0 {
		return ""
	}
	text := string(unicode.ToUpper(first)) + e.Detail[size:]
	if last := text[len(text)-1]; last != '.' && last != '?' {
		text += "."
	}
	return text
}

// subjectID is the id of the element with an event's subject.
func subjectID(e AuditRow) string { return "subject-" + strconv.FormatInt(e.Seq, 10) }
