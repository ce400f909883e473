package credentialview

import (
	"strconv"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/layout"
)

// ListPage lists what people have entrusted to Airlock.
type ListPage struct {
	layout.Shell
	Credentials []app.Credential
}

// hostsShort names the first host and counts the rest.
func hostsShort(hosts []app.Host) string {
	if len(hosts) == 1 {
		return hosts[0].Brief()
	}
	return hosts[0].Brief() + " and " + strconv.Itoa(len(hosts)-1) + " more"
}
