package authview

import (
	"github.com/computclaw/airlock/views/components"
	"github.com/computclaw/airlock/views/layout"
)

// WelcomePage asks a token's holder for name and password.
type WelcomePage struct {
	layout.Shell
	Known    bool // a known person's name is taken as theirs
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
