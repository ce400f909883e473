package authview

import (
	"github.com/computclaw/airlock/views/layout"
)

// LoginPage asks for a name and a password, or for a token.
type LoginPage struct {
	layout.Shell
	Token   bool   // asks for a token
	First   bool   // nobody can log in with a name yet
	TokenAt string // where the admin token is found on this platform; "" for what is true everywhere
	Name    string
	Next    string
	Said    string // what happened before
	Problem string
}
