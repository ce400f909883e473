// Package instance opens a data directory with its store, keys, access, Vault and network.
package instance
