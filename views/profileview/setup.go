package profileview

import (
	"strings"

	"github.com/computclaw/airlock/app"
)

// KeyForm is what a person decides about one key. The typed value is not part of it.
type KeyForm struct {
	Key     app.Key
	Link    string // name of the chosen credential, LinkNew, or "" for none yet
	NewName string
	Mode    app.Mode // of a new credential
	Hosts   string   // that it belongs to, one per line
}

// choice is the credential that the select of a key offers, with words that tell the same name.
func choice(c app.Credential, key string) string {
	words := c.Name + " · " + string(c.Mode)
	if c.Name == key {
		words += " · same name"
	}
	if !c.HasValue() {
		words += " · no value yet"
	}
	return words
}

// Wishes says what an agent asked for with a key beyond its name; "" if nothing.
func Wishes(k app.Key) string {
	var wants []string
	if k.Mode != "" {
		wants = append(wants, string(k.Mode))
	}
	for _, h := range k.Hosts {
		wants = append(wants, "to be used at "+h.Brief())
	}
	return strings.Join(wants, ", ")
}
