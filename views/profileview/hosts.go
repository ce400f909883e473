package profileview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// HostForm is a host of a profile with a person's decision.
type HostForm struct {
	app.HostRequest
	Allow bool // its tick
}

// HostsPage shows a locked profile's wider reach before its grant.
type HostsPage struct {
	layout.Shell
	Profile app.Profile
	Granted []profiles.KeyGrant
	Allowed []app.Host          // as it would be
	Fields  []components.Choice // of the requesting form, to send again
}

// protocolChoices returns an added host's protocols.
func protocolChoices() []components.Choice {
	return components.Choices("", "By port", string(app.ProtocolHTTPS), "HTTPS", string(app.ProtocolHTTP),
		"HTTP, unencrypted", string(app.ProtocolPostgres), "PostgreSQL", string(app.ProtocolTCP), "Raw TCP")
}

// publicTerms describes an entry for public addresses.
func publicTerms(h app.Host, sealed []app.Host) string {
	h.Private = false
	return h.Terms(sealed)
}
