package views

import (
	"slices"
	"strings"
	"time"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
)

// ProfilePage is everything about one profile. It is the one page that shows the profile's id.
type ProfilePage struct {
	Shell
	Profile     app.Profile
	State       app.State
	Credentials []app.Credential // to choose from
	Keys        []KeyForm        // while it is being set up
	Granted     []KeyGrant
	Hosts       []HostForm
	NewHost     string
	NewPrivate  bool
	NewKey      string
	NewKeyNote  string
	Expiry      ExpiryForm
	Place       app.Placement
	Backends    []string // to choose from
	Images      []string
	Allowed     []app.Host // by the policy, or chosen so far
	Executions  []app.Execution
	Beats       []Beat
	Problems    Problems
	Partly      bool // what is not among the problems was saved
	Live        bool // an open page asks for what follows the executions
}

// KeyForm is what a person decides about one key. The typed value is not part of it.
type KeyForm struct {
	Key     app.Key
	Link    string // name of the chosen credential, LinkNew, or "" for none yet
	NewName string
	Mode    app.Mode // of a new credential
	Hosts   string   // that it belongs to, one per line
}

// LinkNew is the choice to type a new credential.
const LinkNew = "+"

// HostForm is what a person decides about one host.
type HostForm struct {
	Text    string // as app.Host's String
	Host    app.Host
	Reason  string
	Allow   bool
	Private bool
	Asked   bool // an agent proposed it and nobody has decided
	// Of a host that was asked for because a script was refused.
	Execution string // handle; "" if it was asked for otherwise
	Line      int    // in that script; 0 if unknown
	At        time.Time
}

// ExpiryForm is the choice of an end date.
type ExpiryForm struct {
	Choice string // "keep", "never", a number of days, or "date"
	Date   string
}

// LockPage is the last look before the lock.
type LockPage struct {
	Shell
	Profile  app.Profile
	Granted  []KeyGrant
	Allowed  []app.Host
	Blocked  string // why it can't be locked now; "" if it can
	Problems Problems

	Unresolved []Unresolved // of its keys; that doesn't keep it from being locked
}

// HostsPage is the last look before a locked profile reaches more.
type HostsPage struct {
	Shell
	Profile app.Profile
	Granted []KeyGrant
	Allowed []app.Host // as it would be
	Fields  []Choice   // of the form that asked, to be sent again
}

// LinkField is the name of the field that chooses a key's credential.
func LinkField(key string) string { return "link." + key }

// ValueField is the name of the field that takes a new value for a key.
func ValueField(key string) string { return "value." + key }

// NameField is the name of the field that names a key's new credential.
func NameField(key string) string { return "name." + key }

// ModeField is the name of the field with the mode of a key's new credential.
func ModeField(key string) string { return "mode." + key }

// HostsField is the name of the field with the hosts of a key's new credential.
func HostsField(key string) string { return "hosts." + key }

// HostField is the name of the hidden field that says which host a row is about.
func HostField(i int) string { return "host." + itoa(i) }

// AllowField is the name of a row's tick to allow the host.
func AllowField(i int) string { return "allow." + itoa(i) }

// PrivateField is the name of a row's tick for private addresses.
func PrivateField(i int) string { return "private." + itoa(i) }

// Ready reports whether every key has a value, so that the profile can be locked.
func (p ProfilePage) Ready() bool {
	for _, k := range p.Profile.Keys {
		if !k.ValueExists {
			return false
		}
	}
	return true
}

// undecided counts what an agent asks for that nobody has decided.
func (p ProfilePage) undecided() int {
	n := 0
	for _, h := range p.Hosts {
		if h.Asked {
			n++
		}
	}
	return n
}

// firstAsked is the request that stands on top: deciding on it is the next step.
func (p ProfilePage) firstAsked() int {
	return slices.IndexFunc(p.Hosts, func(h HostForm) bool { return h.Asked })
}

// byAgent reports whether an agent made the profile, so that a pairing code is to be compared.
func byAgent(p app.Profile) bool { return p.PairingCode != "" }

// maxHeadline is the longest heading of a profile's page, in bytes: three lines on a phone.
const maxHeadline = 160

// headline splits a description into the heading of a page and what goes on below it, so that all of it is read, and read once.
func headline(description string) (title, rest string) {
	title, rest, _ = strings.Cut(strings.TrimSpace(description), "\n")
	if title == "" {
		return Title(description), ""
	}
	if len(title) > maxHeadline {
		whole := title
		title = strings.TrimSuffix(app.Clip(whole, maxHeadline), "…")
		if space := strings.LastIndexByte(title, ' '); space > 0 {
			title = title[:space]
		}
		rest = "… " + strings.TrimSpace(strings.TrimPrefix(whole, title)+"\n"+rest)
		title += " …"
	}
	return strings.TrimSpace(title), strings.TrimSpace(rest)
}

// Handover is what a person gives to the agent that is to use a locked profile.
func Handover(base, id string, keys []app.Key, hosts []app.Host) string {
	var b strings.Builder
	b.WriteString("Use Airlock at " + base + " to run Python. Read " + base + "/skill.md first.\nYour profile_id is " + id + " (a token: don't print or share it).")
	if len(keys) > 0 {
		b.WriteString("\nKeys your scripts get with settings.get(name): " + strings.Join(keyNames(keys), ", ") + ".")
	}
	if len(hosts) > 0 {
		b.WriteString("\nHosts your scripts can reach: " + app.BriefHosts(hosts) + ".")
	}
	return b.String()
}

func keyNames(keys []app.Key) []string {
	names := make([]string, len(keys))
	for i, k := range keys {
		names[i] = k.Name
	}
	return names
}

// choice is the credential that the select of a key offers, with words that tell the same name.
func choice(c app.Credential, key string) string {
	words := c.Name + " · " + string(c.Mode)
	if c.Name == key {
		words += " · same name"
	}
	if !c.HasValue() {
		words += " · no value yet"
	}
	return words
}

// Wishes says what an agent asked for with a key beyond its name; "" if nothing.
func Wishes(k app.Key) string {
	var wants []string
	if k.Mode != "" {
		wants = append(wants, string(k.Mode))
	}
	for _, h := range k.Hosts {
		wants = append(wants, "to be used at "+h.Brief())
	}
	return strings.Join(wants, ", ")
}

// expiryChoices are the lengths on offer.
func expiryChoices(has bool) []Choice {
	all := []Choice{{"never", "No end date"}, {"1", "In 1 day"}, {"7", "In 7 days"}, {"30", "In 30 days"}, {"90", "In 90 days"}, {"365", "In 1 year"}, {"date", "On a date"}}
	if has {
		all = append([]Choice{{"keep", "Leave as it is"}}, all...)
	}
	return all
}

func expiryWords(at, now time.Time) string {
	switch {
	case at.IsZero():
		return "The profile has no end date."
	case !now.Before(at):
		return "The profile expired on " + Day(at) + ". Choose a later end to let it run again; its id stays the same."
	}
	return "The profile ends on " + Day(at) + "."
}

// watching shows a line when the agent changes its request, instead of changing a form under somebody's hands.
func watching(handle string) templ.Attributes {
	return templ.Attributes{"data-changed": "profile/" + handle}
}

// stand is one line on where a profile stands.
func stand(p ProfilePage) string {
	switch p.State {
	case app.StateUnlocked:
		return "Choose what its scripts may use and reach. Nothing is granted before you lock it."
	case app.StateLocked:
		return "Locked " + Ago(p.Profile.LockedAt, p.Now) + ". Scripts with this profile can do what is listed here and nothing else."
	case app.StateRevoked:
		return "Revoked. Nothing can run with it any more."
	}
	return "Expired. Nothing can run with it until you extend it."
}
