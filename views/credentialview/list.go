package credentialview

import (
	"github.com/computclaw/airlock/app"
	"github.com/computclaw/airlock/views/layout"
)

// ListPage lists what people have entrusted to Airlock.
type ListPage struct {
	layout.Shell
	Credentials []app.Credential
}
