// Package login lets people in: by password or passkey, with the first password of a new person, and
// again before what can't be undone.
package login
