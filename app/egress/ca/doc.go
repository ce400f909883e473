// Package ca is the certificate authority of one instance, for hosts of sealed credentials. Every
// box gets its certificate; its key leaves the process only sealed at rest.
//
// Certificates pass OpenSSL's strict checks (default in Python 3.13): key identifiers, key usage,
// alternative name. They are issued for the host that policy allowed, never for a client's claim.
// All leaves share a key in memory.
package ca
