package profileview

import (
	"time"

	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/profiles"
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// HostForm is what a person decides about one host.
type HostForm struct {
	Text    string // as app.Host's String
	Host    app.Host
	Reason  string
	Allow   bool
	Private bool
	Asked   bool // an agent proposed it and nobody has decided
	// Of a host that was asked for because a script was refused.
	Execution string // handle; "" if it was asked for otherwise
	Line      int    // in that script; 0 if unknown
	At        time.Time
}

// HostsPage is the last look before a locked profile reaches more.
type HostsPage struct {
	layout.Shell
	Profile app.Profile
	Granted []profiles.KeyGrant
	Allowed []app.Host          // as it would be
	Fields  []components.Choice // of the form that asked, to be sent again
}

// protocolChoices are the ways in which an added host can be spoken to.
func protocolChoices() []components.Choice {
	return []components.Choice{
		{Value: "", Word: "By port"},
		{Value: string(app.ProtocolHTTPS), Word: "HTTPS"},
		{Value: string(app.ProtocolHTTP), Word: "HTTP, unencrypted"},
		{Value: string(app.ProtocolPostgres), Word: "PostgreSQL"},
		{Value: string(app.ProtocolTCP), Word: "Raw TCP"},
	}
}

// publicTerms are the terms of an entry for public addresses.
func publicTerms(h app.Host, sealed []app.Host) string {
	h.Private = false
	return h.Terms(sealed)
}
