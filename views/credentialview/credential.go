package credentialview

import (
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
	"github.com/computclaw/airlock/views/paths"
)

func credentialAction(p CredentialPage) string {
	if p.New {
		return paths.CredentialNew
	}
	return paths.CredentialURL(p.Credential.Name)
}

func valueLabel(p CredentialPage) string {
	if p.New || !p.Credential.HasValue() || p.Credential.Source == app.SourceVault {
		return "Value"
	}
	return "New value"
}

// exposure says who gets the value if a sealed credential is sealed no more; "" if nobody does.
func exposure(p CredentialPage) string {
	locked := int64(0)
	for _, profile := range p.Profiles {
		if profile.State(p.Now) == app.StateLocked {
			locked++
		}
	}
	if p.Credential.Mode != app.ModeSealed || locked == 0 {
		return ""
	}
	return format.Count(locked, "locked profile") + " would get the value itself from the next execution on, without being locked anew."
}

// oddHosts are the hosts of which a line of the form doesn't say all.
func oddHosts(hosts []app.Host) (odd []app.Host) {
	for _, h := range hosts {
		if h.Brief() != h.String() {
			odd = append(odd, h)
		}
	}
	return odd
}

// credentialStory is one line on a credential's life.
func credentialStory(c app.Credential, now time.Time) string {
	if !c.HasValue() {
		return "It has no value yet; executions that need it are refused."
	}
	if c.Source == app.SourceVault {
		return "Value read from Vault for each execution, " + timesUsed(c.Uses) + ", " + inProfiles(c.Profiles) + "."
	}
	story := "Value set " + format.Ago(c.ValueSetAt, now) + ", " + timesUsed(c.Uses) + ", " + inProfiles(c.Profiles)
	if !c.LastUsedAt.IsZero() {
		story += ", last used " + format.Ago(c.LastUsedAt, now)
	}
	story += "."
	if c.Version > 1 {
		story += " This is version " + strconv.Itoa(c.Version) + "."
	}
	return story
}

// CredentialPage is the form of one credential. It never holds a value.
type CredentialPage struct {
	layout.Shell
	New         bool
	Credential  app.Credential // as stored; zero if New
	Name        string         // as typed, like all below
	Description string
	Service     string
	Mode        app.Mode
	Hosts       string // one per line
	Places      []app.Place
	Headers     string // separated by commas or line breaks
	PlainHTTP   bool
	Problems    components.Problems
	Profiles    []app.Profile // that use it
	Check       CheckForm
	Vault       VaultChoice
}
