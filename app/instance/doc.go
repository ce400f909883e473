// Package instance keeps instance-wide state: keyring, certificate authority, pause, retirement,
// and the question keys of imported history.
package instance
