// Package vault reads secrets from HashiCorp Vault, or OpenBao, when an execution needs them.
//
// A Client is one identity at one Vault. It logs in by a token, a token file or AppRole; Start
// renews the token and logs in again before it ends. Vault answers 403 for a missing permission and
// for an expired token. So after a 403 the token is looked up, and replaced once if it is gone.
// Nothing else is retried: an execution must not wait for a Vault that is down.
//
// Fetch reads each path once for all its fields: user and password share one lease, KV fields one
// version. Nothing is cached.
//
// A cancelled execution waits for pending answers and gives their leases back. A lease that comes
// after the time limit lives until it expires.
//
// # Renewal
//
// One loop (prolong) renews tokens and leases. The API's lifetime watcher is unsuitable: after a
// late failed renewal it retries without a pause, it ends before the lease does, and it keeps the
// token that it began with.
//
// # One type, not an interface
//
// Local and Vault values share no interface. Local ones are opened within the transaction that
// reads the policy. Vault's need the network, where no transaction may wait, and bring leases.
package vault
