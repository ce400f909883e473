package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/paths"
)

// Stranded is a sealed key whose value can go nowhere, since scripts reach none of its hosts.
type Stranded struct {
	Key   string
	Hosts []app.Host // any of them would do
}

// StrandedKeys finds them. Keys that no host of the profile could help are left out.
func StrandedKeys(keys []KeyGrant, allowed []app.Host) []Stranded {
	var all []Stranded
	for _, k := range keys {
		if k.Key.CredentialMode != app.ModeSealed || len(reachable(k, allowed)) > 0 {
			continue
		}
		if where := usable(k); len(where) > 0 {
			all = append(all, Stranded{Key: k.Key.Name, Hosts: where})
		}
	}
	return all
}

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
