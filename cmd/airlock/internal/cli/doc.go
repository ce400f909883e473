// Package cli is what all commands share: the console, flags, errors with exit codes, tables.
package cli
