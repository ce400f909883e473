package profileview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// HostForm is a person's decision on a host.
type HostForm struct {
	Text    string // as app.Host's String
	Host    app.Host
	Reason  string
	Allow   bool
	Private bool
	Asked   bool // an agent proposed it and nobody has decided
	// Of a host requested after a refusal.
	Execution string // handle; "" if it was asked for otherwise
	Line      int    // in that script; 0 if unknown
	At        time.Time
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
	return []components.Choice{
		{Value: "", Word: "By port"},
		{Value: string(app.ProtocolHTTPS), Word: "HTTPS"},
		{Value: string(app.ProtocolHTTP), Word: "HTTP, unencrypted"},
		{Value: string(app.ProtocolPostgres), Word: "PostgreSQL"},
		{Value: string(app.ProtocolTCP), Word: "Raw TCP"},
	}
}

// publicTerms describes an entry for public addresses.
func publicTerms(h app.Host, sealed []app.Host) string {
	h.Private = false
	return h.Terms(sealed)
}
