// Package profiles answers the pages about profiles: the list, set-up, the lock, hosts, expiry,
// placement, and their end.
package profiles
