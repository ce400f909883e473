package app

import "time"

// ActorKind is who acted.
type ActorKind string

// The kinds of actors.
const (
	ActorAgent   ActorKind = "agent"   // holds a profile id, or nothing at all
	ActorPerson  ActorKind = "person"  // logged in to the UI
	ActorCommand ActorKind = "command" // airlock admin on the host
	ActorSystem  ActorKind = "system"  // Airlock itself
)

// Actor identifies who acted, without secrets.
type Actor struct {
	Kind    ActorKind `json:"kind"`
	Name    string    `json:"name,omitempty"`    // of a person, or a profile's handle
	Address string    `json:"address,omitempty"` // client address
}

// PeopleOnly returns CodeForbidden for an agent.
func (a Actor) PeopleOnly() error {
	switch a.Kind {
	case ActorPerson, ActorCommand, ActorSystem:
		return nil
	}
	return E(CodeForbidden, "only a person can do that", "Ask the person who runs Airlock to do it in the admin UI.")
}

// System is Airlock itself.
func System() Actor { return Actor{Kind: ActorSystem} }

// Event is one entry of the audit log. Hash chains it to the one before.
type Event struct {
	Seq     int64
	At      time.Time
	Actor   Actor
	Action  string // such as profile.lock, credential.rotate, execution.cancel
	Subject string // handle or name of the thing acted on, never a token
	Detail  string // one plain sentence, no secrets
	Prev    string // hash of the event before, hex
	Hash    string // sha256 over all of the above, hex
}

// NewEvent starts an event. The store adds its number and hashes.
func NewEvent(at time.Time, by Actor, action, subject, detail string) Event {
	return Event{At: at, Actor: by, Action: action, Subject: subject, Detail: detail}
}
