package format

import (
	"unicode"
	"unicode/utf8"

	"github.com/computclaw/airlock/app"
)

// EventActor is who caused an event. Whoever types a wrong token is no agent: nothing is known of them but an address.
func EventActor(e app.Event) string {
	if e.Action == "session.refuse" || e.Action == "session.enroll" { // nobody has said yet who they are
		return "Somebody at " + e.Actor.Address
	}
	return Actor(e.Actor)
}

// EventDetail is an event's detail as a sentence.
func EventDetail(e app.Event) string {
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

func PersonOrCommand(name string) string {
	if name == "" {
		return "airlock admin"
	}
	return name
}

// Actor is who did something, in words.
func Actor(a app.Actor) string {
	who := map[app.ActorKind]string{
		app.ActorAgent: "Agent", app.ActorPerson: "Person", app.ActorCommand: "airlock admin", app.ActorSystem: "Airlock",
	}[a.Kind]
	if who == "" {
		who = string(a.Kind)
	}
	switch {
	case a.Name != "" && a.Kind == app.ActorPerson:
		who = a.Name
	case a.Name != "":
		who += " " + ShortHandle(a.Name)
	}
	if a.Address != "" {
		who += " at " + a.Address
	}
	return who
}
