package secrets

import (
	"slices"

	"github.com/computclaw/airlock/app"
)

// Resolved is a secret for an execution: name, value, owner, and permitted hosts.
type Resolved struct {
	Key         string // by which the script knows it; of another's, the credential's name
	Mode        app.Mode
	Secret      app.Secret
	Placeholder string // what the script holds instead of a sealed Secret
	Held        Held
	Scope

	Credential string // id
	Version    int

	// Of values from Vault only.

	Hold      string        // to release, the same for all values of one execution; "" if nothing was lent
	Content   string        // stands for Version in placeholders
	Reference app.Reference // into Vault
}

// Elsewhere reports whether the value came from Vault.
func (r Resolved) Elsewhere() bool { return r.Content != "" }

// Held says who holds a secret.
type Held uint8

// Who holds a secret.
const (
	ByScript  Held = iota // itself, or a placeholder for it
	ByAnother             // Vault gave it to another execution in the place of this one's
	ByHosts               // hosts may show it: masks show nothing of it, and hits name a rule, no key
)

// Scope says where a sealed value may go. It is empty for other values.
type Scope struct {
	Hosts     []app.Host // canonical; nowhere if empty, and then its placeholder is refused everywhere
	Places    []app.Place
	Headers   []string // where a header is a place: in these, in canonical spelling
	PlainHTTP bool
}

// Covers reports whether the value may go to the host and port, over any protocol.
func (s Scope) Covers(host string, port int) bool {
	return slices.ContainsFunc(s.Hosts, func(h app.Host) bool { return h.Matches(host, port) })
}
