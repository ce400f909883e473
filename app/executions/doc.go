// Package executions is what agents and people do with executions: submit, cancel, answer, re-run,
// read.
//
// Submit checks the profile, redacts the script as people may see it, seals script and inputs, and
// stores the row; the scheduler claims it. The same transaction may claim it at once: see
// scheduler.ImmediateClaim.
//
// Reads come from the store, and for an execution that runs here from its runner.Run. Executions
// that have ended are cached, since an agent asks for one several times.
//
// Reconcile gives an end to what a dead process left, before anything new is claimed.
package executions
