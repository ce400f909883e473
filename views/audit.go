package views

import (
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// AuditRow is one event.
type AuditRow struct {
	app.Event
	URL string // page of what it is about, or "" if there is none (any more)
}

// AuditPage lists what was done, by whom, newest first.
type AuditPage struct {
	Shell
	Events []AuditRow
	Older  string
	Broken int64 // first sequence number at which the chain does not hold; 0 if it holds
	First  bool
}

// who is who caused an event. Whoever types a wrong token is no agent: nothing is known of them but an address.
func who(e app.Event) string {
	if e.Action == "session.refuse" {
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
