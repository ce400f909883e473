package uix

import (
	"fmt"
	"slices"
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/store"
	"github.com/computclaw/airlock/views/dashboardview"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/paths"
)

// rejectionNeeds lists credentials that hosts refused in runs. An entry leaves with a new value, an
// accepting host, or the profile's end.
func rejectionNeeds(
	rejected []store.Rejection, profiles []app.Profile, credentials []app.Credential, now time.Time,
) (all []dashboardview.Need) {
	for _, r := range rejected {
		p := slices.IndexFunc(profiles, func(p app.Profile) bool { return p.Handle == r.ProfileHandle })
		if p < 0 || profiles[p].State(now) != app.StateLocked {
			continue
		}
		k := slices.IndexFunc(profiles[p].Keys, func(k app.Key) bool { return k.Name == r.Key })
		if k < 0 {
			continue
		}
		c := slices.IndexFunc(credentials, func(c app.Credential) bool {
			return c.ID == profiles[p].Keys[k].CredentialID
		})
		if c < 0 || credentials[c].ValueSetAt.After(r.At) {
			continue
		}
		name := credentials[c].Name
		all = append(all, dashboardview.Need{
			Icon: "key", Title: name + " rejected by " + r.Host,
			Detail: fmt.Sprintf("%s of %s got HTTP %d.", format.Count(int64(r.Runs), "run"),
				format.Title(profiles[p].Description), r.Status),
			URL: paths.CredentialURL(name), Action: "Set a new value", At: r.At,
		})
	}
	return all
}
