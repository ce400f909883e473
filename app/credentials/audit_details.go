package credentials

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

// samePlaces reports whether both values go into the same places the same way.
func samePlaces(a, b app.Credential) bool {
	return slices.Equal(a.Places, b.Places) && slices.Equal(a.Headers, b.Headers) && a.PlainHTTP == b.PlainHTTP
}

func sameSource(a, b app.Credential) bool { return a.Source == b.Source && a.Reference == b.Reference }

func orNone(text string) string {
	if text == "" {
		return "none"
	}
	return text
}

// sourceDetail says for the audit log where a value comes from.
func sourceDetail(c app.Credential) string {
	if c.Source == app.SourceVault {
		return "the value comes from Vault, " + c.Reference
	}
	return "the value is kept in Airlock"
}
