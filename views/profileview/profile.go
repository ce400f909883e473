package profileview

import (
	"slices"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

// ProfilePage is a profile's page, the only one with its id.
type ProfilePage struct {
	layout.Shell
	Profile     app.Profile
	State       app.State
	Credentials []app.Credential // to choose from
	Keys        []KeyForm        // while it is being set up
	Granted     []profiles.KeyGrant
	Hosts       []HostForm
	NewHost     string
	NewPrivate  bool
	NewProtocol string
	NewKey      string
	NewKeyNote  string
	Tab         Tab
	Name        string // as typed
	Purpose     string
	Expiry      ExpiryForm
	Place       app.Placement
	MayRun      app.MayRun
	Backends    []string // to choose from
	Images      []string
	Templates   bool       // boxes fork from templates unless a profile requires fresh ones
	Allowed     []app.Host // by the policy, or chosen so far
	Executions  []app.Execution
	Summaries   map[string]components.Summary // of Executions, by handle
	Beats       []Beat
	Problems    components.Problems
	Partly      bool // everything without a problem was saved
	Live        bool // an open page asks for its changing parts
}

// Tab is a part of a locked profile's page.
type Tab string

// The tabs; the first is the default.
const (
	TabActivity Tab = ""
	TabAccess   Tab = "access"
	TabSettings Tab = "settings"
)

// ParseTab reads a tab from an address; unknown ones are the first.
func ParseTab(text string) Tab {
	if tab := Tab(text); tab == TabAccess || tab == TabSettings {
		return tab
	}
	return TabActivity
}

// URL returns the address of a profile's tab.
func (t Tab) URL(handle string) string {
	if t == TabActivity {
		return paths.ProfileURL(handle)
	}
	return paths.ProfileURL(handle) + "?tab=" + string(t)
}

func (t Tab) word() string {
	return map[Tab]string{TabActivity: "Activity", TabAccess: "Access", TabSettings: "Settings"}[t]
}

// ends reports whether the profile's end may change.
func (p ProfilePage) ends() bool { return p.State == app.StateLocked || p.State == app.StateExpired }

// countUndecided counts the agent's undecided requests.
func (p ProfilePage) countUndecided() int {
	n := 0
	for _, h := range p.Hosts {
		if !h.Allowed {
			n++
		}
	}
	return n
}

// firstAsked returns the index of the topmost request, the next to decide; -1 if none.
func (p ProfilePage) firstAsked() int {
	return slices.IndexFunc(p.Hosts, func(h HostForm) bool { return !h.Allowed })
}

// byAgent reports whether an agent made the profile, with a pairing code to compare.
func byAgent(p app.Profile) bool { return p.PairingCode != "" }
