// Package leases renews and revokes leases from Vault. A Keeper renews a lease while it is held,
// and revokes it when its execution ends, however it ends.
//
// A lease is stored before its value is used. On start, leases left by a dead process are revoked
// first. Failed revocations are retried until the lease expires.
//
// A lease has one holder. A second holder (through a cache in front of Vault) is refused: one
// execution's end would end the other's.
//
// A process that dies before it stores a lease leaves one that only expiry ends.
package leases
