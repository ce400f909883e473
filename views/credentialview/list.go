package credentialview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// hostsShort names the first host and counts the rest.
func hostsShort(hosts []app.Host) string {
	if len(hosts) < 2 {
		return hosts[0].Brief()
	}
	return hosts[0].Brief() + " and " + format.Number(int64(len(hosts)-1)) + " more"
}

// ListPage lists what people have entrusted to Airlock.
type ListPage struct {
	layout.Shell
	Credentials []app.Credential
}
