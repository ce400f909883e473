package uix

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/app/redact/fields"
)

// CredentialNotice returns the notice after a saved credential: usual, or advice on value or hosts.
// value is zero if unchanged.
func CredentialNotice(c app.Credential, value app.Secret, usual string) string {
	switch {
	case !c.HasValue():
		return "credential-empty"
	case c.Mode == app.ModeSealed && app.IsWide(value):
		return "credential-wide"
	case c.Mode != app.ModePlain && app.AuthScheme(value) != "":
		return "credential-scheme"
	case c.Mode != app.ModePlain && app.WeakValue(value) != "":
		return "credential-weak"
	case c.Mode == app.ModeSealed && len(app.HostWarnings(c.Hosts)) > 0:
		return "credential-owners"
	case c.Mode == app.ModePlain:
		return usual
	}
	switch fields.KindOf(value) {
	case fields.Secrets:
		return "credential-parts"
	case fields.Nothing:
		return "credential-no-parts"
	}
	return usual
}
