package credentialview

import (
	"strconv"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/credentials"
	"github.com/computclaw/airlock/app/secrets/vault"
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

// valueHints tell a typed value's effects, and the replaced one's fate.
func valueHints(p CredentialPage) []string {
	if p.New || !p.Credential.HasValue() {
		return []string{components.NewValueHint}
	}
	return []string{"Leave empty to keep the stored value. A sealed value has at least 16 characters.",
		credentials.DescribeReplacement(p.Credential, p.Superseded)}
}

// exposure tells who gets the value if it is unsealed, or "".
func exposure(p CredentialPage) string {
	locked, gives := credentials.CountLocked(p.Profiles, p.Now), credentials.ModeGives(p.Credential.Mode, app.ModeInjected)
	if gives == "" || locked == 0 {
		return ""
	}
	return app.Count(locked, "locked profile") + " " + gives + ", without being locked again."
}

// oddHosts returns hosts that a form's line can't fully describe.
func oddHosts(hosts []app.Host) (odd []app.Host) {
	for _, h := range hosts {
		if h.Brief() != h.String() {
			odd = append(odd, h)
		}
	}
	return odd
}

// uses counts executions that had the value, read or not, and profiles.
func uses(c app.Credential) string {
	return "given to " + format.Count(c.Uses, "execution") + ", in " + format.Count(int64(c.Profiles), "profile")
}

func credentialSummary(c app.Credential, now time.Time) string {
	if !c.HasValue() {
		return "It has no value yet; executions that need it are refused."
	}
	if c.Source == app.SourceVault {
		return "Value read from Vault for each execution, " + uses(c) + "."
	}
	summary := "Value set " + format.Ago(c.ValueSetAt, now) + ", " + uses(c)
	if !c.LastUsedAt.IsZero() {
		summary += ", last " + format.Ago(c.LastUsedAt, now)
	}
	summary += "."
	if c.Version > 1 {
		summary += " This is version " + strconv.Itoa(c.Version) + "."
	}
	return summary
}

// CredentialPage is a credential's form. It never holds a value.
type CredentialPage struct {
	layout.Shell
	New         bool
	Credential  app.Credential // as stored; zero if New
	Typed       app.Credential // in the form, without hosts and headers
	Hosts       string         // one per line
	Headers     string         // separated by commas or line breaks
	Problems    components.Problems
	Sent        []app.SentValue // newest first
	Profiles    []app.Profile   // that use it
	Reached     string          // which locked profiles reach a host through its value; "" if none
	Superseded  int             // days of searching for a replaced value
	Check       CheckForm
	OffersVault bool              // a Vault is configured or referred to
	Finding     *vault.Inspection // nil if nothing was looked up
}
