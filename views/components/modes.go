package components

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/format"
)

// ModeOption explains one way in which scripts receive a credential.
type ModeOption struct {
	Mode    app.Mode
	meaning string
	warning string
}

// Modes returns all modes, the safest first.
func Modes() []ModeOption {
	return []ModeOption{
		{
			Mode: app.ModeSealed,
			meaning: "Scripts hold a placeholder and never see the value. " +
				"Airlock adds it to requests to its hosts and removes it from responses.",
		},
		{
			Mode: app.ModeInjected,
			meaning: "Scripts get the value itself. For what can't be sealed: database passwords, " +
				"and clients that sign requests with the secret (AWS SigV4, HMAC).",
			warning: "Redaction only stops accidents: a malicious script could send the value to any host of its " +
				"profile.",
		},
		{
			Mode: app.ModePlain,
			meaning: "Not secret: a host name, a user name, an address. " +
				"Scripts get it as it is, and it is not masked in output.",
		},
	}
}

// ModeChoices returns all modes as options.
func ModeChoices() []Choice {
	var list []Choice
	for _, m := range Modes() {
		list = append(list, Choice{string(m.Mode), format.Mode(m.Mode)})
	}
	return list
}

// ModeIcon names the icon of a mode.
func ModeIcon(m app.Mode) string {
	switch m {
	case app.ModeSealed:
		return "shield"
	case app.ModeInjected:
		return "warn"
	}
	return "plain"
}
