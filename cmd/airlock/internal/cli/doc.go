// Package cli has the parts of all commands: console, flags, errors with exit codes, tables.
package cli
