package credentialview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
	"github.com/computclaw/airlock/views/layout"
)

// givenTo counts executions that had the value, read or not.
func givenTo(n int64) string { return "given to " + executions(n) }

func executions(n int64) string {
	if n == 0 {
		return "no execution yet"
	}
	return format.Count(n, "execution")
}

// hostsShort names the first host and counts the rest.
func hostsShort(hosts []app.Host) string {
	if len(hosts) < 2 {
		return hosts[0].Brief()
	}
	return hosts[0].Brief() + " and " + format.Number(int64(len(hosts)-1)) + " more"
}

func inProfiles(n int) string { return "in " + profiles(n) }

func profiles(n int) string {
	if n == 0 {
		return "no profile"
	}
	return format.Count(int64(n), "profile")
}

// ListPage lists what people have entrusted to Airlock.
type ListPage struct {
	layout.Shell
	Credentials []app.Credential
}
