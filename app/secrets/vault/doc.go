// Package vault reads secrets from HashiCorp Vault, or OpenBao, at the moment an execution needs
// them.
//
// A Client is one identity at one Vault. It logs in by a token, a token file or AppRole; Start
// keeps the token alive and logs in again before it ends. Vault answers 403 both to a token that
// may not and to one that is gone, so after a 403 the token is looked up, and only one that is gone
// is replaced, once. Nothing is retried otherwise: an execution must not wait for a Vault that is
// down.
//
// Fetch reads each path once for all its fields, so that user and password come from one lease, and
// KV fields from one version. What holds a lease is never cached; what doesn't may be, for as long
// as the operator says.
//
// A lease must not be lost. Reads go on when whoever asked has left (an execution that was
// cancelled, a time limit), and a lease in a late answer is handed to OnLate. A lease that Vault
// made in an answer that never arrived can't be known to anybody; it lives until it expires.
//
// # Renewal
//
// Tokens and leases are renewed by one loop (prolong), not by the API's lifetime watcher. Once
// Vault extends something no more, the watcher ends before that does, without an error (measured:
// of a token's 4 s after 2.2, of 10 s after 8.8), and begun again for the rest it renews at once,
// again and again. Airlock has to know when a lease has really ended, and needs a token to its end
// where it can get no other. And for a lease the watcher keeps to the token that it began with,
// which may have been replaced since.
//
// # One type, not an interface
//
// A source of secrets was planned as an interface with a local and a Vault implementation. The two
// turned out to have nothing in common that a caller could use: local values are opened inside the
// transaction that reads the policy, and cost nothing; Vault's are read over the network, where no
// transaction may wait, take time, fail in many ways, and come with leases that must be given back.
// Package access asks each in its own way, in one place.
package vault
