// Package uix holds what the admin UI's pages share: shell, sessions, forms, notices, inbox and
// downloads.
//
// Secrets are never sent back: a refused form returns without its values.
package uix
