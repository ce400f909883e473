package access

import (
	"fmt"
	"slices"

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
	detail := "put into " + c.PlaceNames()
	if c.PlainHTTP {
		detail += ", also over plain HTTP"
	}
	return detail
}

// samePlaces reports whether the values of both are put into the same places in the same way.
func samePlaces(a, b app.Credential) bool {
	return slices.Equal(a.Places, b.Places) && slices.Equal(a.Headers, b.Headers) && a.PlainHTTP == b.PlainHTTP
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
