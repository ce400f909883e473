package redact

import "github.com/computclaw/airlock/app"

// Value is a secret that must not get out, under the name the script knows it by.
type Value struct {
	Name   string
	Secret app.Secret
	// Placeholder is what a script holds instead of a sealed value; "" if it holds the value
	// itself. It is shown as [SEALED:NAME], which is no hit.
	Placeholder string
	// Unheld is set if the script doesn't hold the value either way, such as one that Vault gave to
	// another execution.
	Unheld bool
	// Anonymous masks show nothing of the value, not even the last characters, and its hits name a
	// rule: no key of the script has it.
	Anonymous bool
}

// held reports whether a script holds the value itself.
func (v Value) held() bool { return v.Placeholder == "" && !v.Unheld }
