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
// An execution that is cancelled waits for the answers it asked for, and gives their leases back.
// A lease in an answer that came after the time limit lives until it expires.
//
// # Renewal
//
// One loop (prolong) renews tokens and leases. The API's lifetime watcher doesn't serve: after a
// renewal that fails near the end it asks Vault again without a pause, hundreds of times a second,
// since it leaves the Stop of its backoff at 0. It ends before what it watches does, and Airlock has
// to know when a lease has really ended. And it keeps to the token that it began with.
//
// # One type, not an interface
//
// A source of secrets was planned as an interface with a local and a Vault implementation. The two
// turned out to have nothing in common that a caller could use: local values are opened inside the
// transaction that reads the policy, and cost nothing; Vault's are read over the network, where no
// transaction may wait, take time, fail in many ways, and come with leases that must be given back.
// Package access asks each in its own way, in one place.
package vault
