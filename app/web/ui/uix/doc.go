// Package uix holds what the pages of the admin UI share: the shell around them, sessions, forms,
// notices, what waits for a person, and downloads.
//
// Secrets are never sent back: a refused form returns with everything but its values.
package uix
