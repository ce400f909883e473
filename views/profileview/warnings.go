package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// strandedURL takes a host that helps a sealed key: in the setup before the lock, in the hosts
// after.
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

// Unresolved is a key whose value comes from Vault and can't be read there now.
type Unresolved struct {
	Key        string
	Credential string
	Problem    string
	Hint       string
}
