package views

import (
	"time"

	"github.com/a-h/templ"
)

// Section is a place in the navigation.
type Section string

// The sections.
const (
	SectionOverview    Section = "overview"
	SectionInbox       Section = "inbox"
	SectionProfiles    Section = "profiles"
	SectionCredentials Section = "credentials"
	SectionExecutions  Section = "executions"
	SectionSandbox     Section = "sandbox"
	SectionAudit       Section = "audit"
	SectionSettings    Section = "settings"
)

// Shell is what surrounds every page.
type Shell struct {
	Title    string
	Section  Section
	Theme    string // "light", "dark", or "" to follow the system
	Notice   string // what the last action did; "" if nothing is to be said
	Warns    bool   // the notice is of something that is not well
	Version  string
	Base     string // this instance's address as agents reach it, without trailing slash
	Now      time.Time
	NeedsYou int // entries of the inbox
	Paused   Paused
	Disk     Disk
	Losing   string // why the data won't outlive this process, and what to do; "" if it will
	NoKeys   bool   // single keys are no commands
	Person   string // who is logged in; "" where nobody is
}

// Paused says since when executions are held in the queue, and by whom; the zero Paused says that they are not.
type Paused struct {
	Since time.Time
	By    string
}

// place is one entry of the navigation.
type place struct {
	section Section
	url     string
	icon    string
	word    string
}

func mainPlaces() []place {
	return []place{
		{SectionOverview, Root, "overview", "Overview"},
		{SectionInbox, Inbox, "inbox", "Inbox"},
		{SectionProfiles, Profiles, "profile", "Profiles"},
		{SectionCredentials, Credentials, "key", "Credentials"},
		{SectionExecutions, Executions, "run", "Executions"},
	}
}

// thumbPlaces are those that fit a phone's bar; farPlaces are the others.
func thumbPlaces() []place {
	var near []place
	for _, p := range mainPlaces() {
		if p.section != SectionCredentials {
			near = append(near, p)
		}
	}
	return near
}

func farPlaces() []place {
	var far []place
	for _, p := range mainPlaces() {
		if p.section == SectionCredentials {
			far = append(far, p)
		}
	}
	return append(far, otherPlaces()...)
}

// replacing marks an element as a replacement of the one with its id, wherever that stands.
func replacing(yes bool) templ.Attributes {
	if !yes {
		return nil
	}
	return templ.Attributes{"hx-swap-oob": "outerMorph"}
}

func otherPlaces() []place {
	return []place{
		{SectionSandbox, Sandbox, "box", "Sandbox"},
		{SectionAudit, Audit, "audit", "Audit"},
		{SectionSettings, Settings, "settings", "Settings"},
	}
}

// Problems are the messages of a refused form by field name; "" holds what belongs to no field.
type Problems map[string]string

// Of returns the message for a field, or "".
func (p Problems) Of(field string) string { return p[field] }

// current marks the place in the navigation where the page belongs.
func current(s Shell, p place) templ.Attributes {
	if s.Section != p.section {
		return nil
	}
	return templ.Attributes{"aria-current": "page"}
}
