package authview

import (
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// WelcomePage asks the holder of a token for a name and a password.
type WelcomePage struct {
	layout.Shell
	Known    bool // the name of somebody who is known is taken as theirs
	First    bool
	Name     string
	Next     string
	Problems components.Problems
}

func (p WelcomePage) nameHint() string {
	if p.Known && !p.First {
		return "The audit log shows it. If you are known here already, the same name sets your new password."
	}
	return "The audit log shows it beside everything you do."
}
