// Package leases gives back what Vault lent. A value that Vault makes anew for each reader, such as
// a database user, comes with a lease; a Keeper renews it while it is held and revokes it
// afterwards, however that came: the execution ended by itself, was stopped, lost its box, or its
// whole process died.
//
// A lease is written down before its value is used. Whatever is written down when the program
// starts was left by a process that died, and is revoked first of all. A lease that can't be
// revoked, since Vault or the database behind it is down or refuses, is tried again until it would
// have expired by itself.
//
// A lease has one holder. One that was handed out twice, by a cache in front of Vault, is refused
// to the second: the end of one execution would end the other's.
//
// What remains is the moment between Vault's making a lease and its being written down. A process
// that dies just then leaves one that only its time limit ends.
package leases
