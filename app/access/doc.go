// Package access puts together what decides who may have what, for the API, the UI and `airlock
// admin`: auth, credentials, policy, profiles, instance and audit. Each rule stands in one of
// these, checked, sealed, stored and audited in one transaction; the hub is told after each commit.
//
// It has nothing of its own but Snapshot, which spans several of them.
package access
