// Package login authenticates people: by password or passkey, with first passwords and
// confirmations.
package login
