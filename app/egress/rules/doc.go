// Package rules names what stands against a connection: the rules of ledger rows, which of them are
// refusals and which are failures, what each means for an agent and what to do next.
//
// It also judges what needs no connection: addresses, and names that no entry of a profile can admit.
package rules
