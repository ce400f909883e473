// Package profiles serves profile pages: list, set-up, lock, hosts, expiry, placement and end.
package profiles
