// Package access makes the parts that decide who may do what, for the API, the UI and `airlock
// admin`: auth, credentials, policy, profiles, instance and audit.
//
// Each rule stands in one of these packages. A change is checked, sealed, stored and audited in one
// transaction, and published on the hub after the commit.
package access
