package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// strandedForm returns the form that adds a sealed key's host, and its step.
func strandedForm(p app.Profile) (url, step string) {
	if p.Locked {
		return paths.At(paths.ProfileHosts, p.Handle), "save"
	}
	return paths.At(paths.ProfileSetup, p.Handle), "review"
}

// Unresolved is a key whose Vault value was unreadable last.
type Unresolved struct {
	Key        string
	Credential string
	Problem    string
}
