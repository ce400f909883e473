// Package ca is the certificate authority of one instance: it issues the certificates under which
// egress speaks for the hosts that sealed credentials belong to. Its certificate is handed to every
// box; its key never leaves the process except sealed at rest.
//
// Certificates carry what the strict checks of OpenSSL ask for (Python 3.13 switches them on): key
// identifiers of subject and authority, key usage, an alternative name. They are issued for the
// host that policy allowed, never for what a client says. All leaves of one Authority share a key
// that lives in memory only.
package ca
