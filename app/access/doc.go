// Package access makes the parts that decide who may do what. These are auth, credentials, policy,
// profiles, instance and audit, for the API, the UI and `airlock admin`.
//
// A change is checked, sealed, stored and audited in one transaction, and published on the hub
// after the commit.
package access
