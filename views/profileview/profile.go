package profileview

import (
	"slices"
	"strings"

	"github.com/a-h/templ"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// ProfilePage is everything about one profile. It is the one page that shows the profile's id.
type ProfilePage struct {
	layout.Shell
	Profile     app.Profile
	State       app.State
	Credentials []app.Credential // to choose from
	Keys        []KeyForm        // while it is being set up
	Granted     []KeyGrant
	Hosts       []HostForm
	NewHost     string
	NewPrivate  bool
	NewProtocol string
	NewKey      string
	NewKeyNote  string
	Expiry      ExpiryForm
	Place       app.Placement
	Backends    []string // to choose from
	Images      []string
	Allowed     []app.Host // by the policy, or chosen so far
	Executions  []app.Execution
	Beats       []Beat
	Problems    components.Problems
	Partly      bool // what is not among the problems was saved
	Live        bool // an open page asks for what follows the executions
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

// headline splits a description into the heading of a page and what goes on below it, so that all
// of it is read, and read once.
func headline(description string) (title, rest string) {
	title, rest, _ = strings.Cut(strings.TrimSpace(description), "\n")
	if title == "" {
		return format.Title(description), ""
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

// watching shows a notice when the agent changes its request. The form in use stays as it is.
func watching(handle string) templ.Attributes {
	return templ.Attributes{"data-changed": "profile/" + handle}
}

// stand is one line on where a profile stands.
func stand(p ProfilePage) string {
	switch p.State {
	case app.StateUnlocked:
		return "Choose what its scripts may use and reach. Nothing is granted before you lock it."
	case app.StateLocked:
		return "Locked " + format.Ago(p.Profile.LockedAt, p.Now) +
			". Scripts with this profile can do what is listed here and nothing else."
	case app.StateRevoked:
		return "Revoked. Nothing can run with it any more."
	}
	return "Expired. Nothing can run with it until you extend it."
}
