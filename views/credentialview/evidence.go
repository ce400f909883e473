package credentialview

import "github.com/computclaw/airlock/app"

// SentValue is a request that had the credential's sealed value in it.
type SentValue struct {
	Execution string // handle
	Profile   string // description when it ran
	app.Connection
}
