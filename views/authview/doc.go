// Package authview renders the login: by password or token, the choice of a password, and the
// password asked again before what cannot be undone.
package authview
