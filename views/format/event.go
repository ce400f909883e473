package format

import "github.com/computclaw/airlock/app"

// EventActor names who caused an event. profile is an agent's profile name, "" if unknown. Before a
// login only an address is known.
func EventActor(e app.Event, profile string) string {
	if profile != "" && e.Actor.Kind == app.ActorAgent {
		who := app.Actor{Address: e.Actor.Address}
		return "Agent of “" + profile + "”" + Actor(who)
	}
	if e.Action == "session.refuse" || e.Action == "session.enroll" {
		return "Somebody at " + e.Actor.Address
	}
	return Actor(e.Actor)
}

// Actor names who did something.
func Actor(a app.Actor) string {
	who := map[app.ActorKind]string{
		app.ActorAgent:   "Agent",
		app.ActorPerson:  "Person",
		app.ActorCommand: "airlock admin",
		app.ActorSystem:  "Airlock",
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
