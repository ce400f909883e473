package views

import (
	"time"

	"github.com/computclaw/airlock/app"
)

// mode is one way a script receives a credential, explained.
type mode struct {
	mode    app.Mode
	word    string
	meaning string
	coming  bool // explained, but not to be chosen in this version
}

func modes() []mode {
	return []mode{
		{app.ModeInjected, "Injected", "The script holds the real value while it runs. Airlock masks it in everything the script prints or returns.", false},
		{app.ModePlain, "Plain", "Not a secret: a host name, a user name, a URL. It may appear in output.", false},
		{app.ModeSealed, "Sealed", "The script holds a placeholder only; the value is put in on the way to its hosts.", true},
	}
}

func credentialAction(p CredentialPage) string {
	if p.New {
		return CredentialNew
	}
	return CredentialURL(p.Credential.Name)
}

func valueLabel(p CredentialPage) string {
	if p.New || !p.Credential.HasValue() {
		return "Value"
	}
	return "New value"
}

func timesUsed(n int64) string {
	if n == 0 {
		return "not used yet"
	}
	return "used " + Count(n, "time")
}

func inProfiles(n int) string {
	if n == 0 {
		return "in no profile"
	}
	return "in " + Count(int64(n), "profile")
}

// credentialStory is one line on a credential's life.
func credentialStory(c app.Credential, now time.Time) string {
	if !c.HasValue() {
		return "It has no value yet; executions that need it are refused."
	}
	story := "Value set " + Ago(c.ValueSetAt, now) + ", " + timesUsed(c.Uses) + ", " + inProfiles(c.Profiles) + "."
	if c.Version > 1 {
		story += " This is version " + itoa(c.Version) + "."
	}
	return story
}
