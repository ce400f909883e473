package access

import (
	"fmt"
	"strings"

	"github.com/computclaw/airlock/app"
)

func createDetail(c app.Credential) string {
	detail := fmt.Sprintf("Created as %s", c.Mode)
	if len(c.Hosts) > 0 {
		detail += " for " + app.BriefHosts(c.Hosts)
	}
	if c.Mode == app.ModeSealed {
		detail += ", " + placesDetail(c)
	}
	if c.Source == app.SourceVault {
		detail += "; " + sourceDetail(c)
	}
	return detail + "."
}

// placesDetail says where a sealed value is put in.
func placesDetail(c app.Credential) string {
	places := make([]string, len(c.Places))
	for i, p := range c.Places {
		places[i] = string(p)
	}
	detail := "put into " + strings.Join(places, ", ")
	if c.PlainHTTP {
		detail += ", also over plain HTTP"
	}
	return detail
}

// checkMode accepts a credential whose mode can be kept.
func checkMode(c app.Credential) error {
	if c.Mode != app.ModeSealed {
		return nil
	}
	if len(c.Hosts) == 0 {
		return app.Invalid("hosts", "a sealed credential needs at least one host", "Name the hosts that its value may go to, or choose injected if scripts must have the value itself.")
	}
	for _, h := range c.Hosts {
		if h.Protocol == app.ProtocolTCP || h.Protocol == app.ProtocolPostgres {
			return app.Invalid("hosts", fmt.Sprintf("a sealed value can't be put into %s connections, as to %s: only into HTTP requests", h.Protocol, h), "Choose injected for databases and other protocols.")
		}
	}
	return nil
}

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}
