// Package rules names the rules of ledger rows: refusals, failures, their meaning and next steps.
//
// It also judges addresses, and names that no profile can admit.
package rules
