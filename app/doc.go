// Package app holds the words and rules of Airlock: what a credential, a profile, a policy and an
// execution are, which states they pass through, and how errors are told to those who must act on
// them.
//
// It imports the standard library only and knows nothing of HTTP, SQL or sandboxes; every other
// package may import it.
package app
