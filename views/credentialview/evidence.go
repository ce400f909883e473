package credentialview

import "github.com/computclaw/airlock/app"

// SentValue is a request with the credential's sealed value.
type SentValue struct {
	Execution string // handle
	Profile   string // description when it ran
	app.Connection
}
