package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// strandedURL returns where a form adds a sealed key's host.
func strandedURL(p app.Profile) string {
	if p.Locked {
		return paths.At(paths.ProfileHosts, p.Handle)
	}
	return paths.At(paths.ProfileSetup, p.Handle)
}

func strandedStep(p app.Profile) string {
	if p.Locked {
		return "save"
	}
	return "review"
}

// Unresolved is a key whose Vault value is unreadable now.
type Unresolved struct {
	Key        string
	Credential string
	Problem    string
	Hint       string
}
