package components

import (
	"github.com/computclaw/airlock/app"
)

// ModeOption explains a way in which scripts receive a credential.
type ModeOption struct {
	Mode    app.Mode
	brief   string // one line, beside the others
	meaning string
	warning string
}

// InjectedWarning warns before scripts get the value itself.
const InjectedWarning = "A malicious script could send it to any allowed host."

// Modes returns all modes, the safest first.
func Modes() []ModeOption {
	return []ModeOption{
		{
			Mode:  app.ModeSealed,
			brief: "goes to its hosts only; scripts never see it. API keys, tokens.",
			meaning: "Scripts hold a placeholder and never see the value. " +
				"Airlock adds it to requests to its hosts and removes it from responses.",
		},
		{
			Mode:  app.ModeInjected,
			brief: "scripts get it. Database passwords, signing.",
			meaning: "Scripts get the value itself. For what can't be sealed: database passwords, " +
				"and clients that sign requests with the secret (AWS SigV4, HMAC).",
			warning: "Redaction only stops accidents. " + InjectedWarning,
		},
		{
			Mode:  app.ModePlain,
			brief: "not secret. Host and user names.",
			meaning: "Not secret: a host name, a user name, an address. " +
				"Scripts get it as it is, and it is not masked in output.",
		},
	}
}

// ModeIcon names the icon of a mode.
func ModeIcon(m app.Mode) string {
	switch m {
	case app.ModeSealed:
		return "shield"
	case app.ModeInjected:
		return "key"
	}
	return "plain"
}
