package secrets

import "github.com/computclaw/airlock/app"

// Resolved is one value that an execution was given.
type Resolved struct {
	Key         string
	Mode        app.Mode
	Secret      app.Secret
	Placeholder string // what the script gets instead of a sealed Secret
	Scope
}

// Scope says where a sealed value may go. It is empty for other values.
type Scope struct {
	Hosts     []app.Host
	Places    []app.Place
	Headers   []string // where a header is a place: in these
	PlainHTTP bool
}
