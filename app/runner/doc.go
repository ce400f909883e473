// Package runner takes one claimed execution to its verdict.
//
// # One execution
//
// A Run is a script in a session. The session has the box, the masked values and the one way out.
// The script has a clock, files, output and questions. Run.attempt binds, prepares the hooks,
// acquires a box, records the start, sends the script and collects its end. Then Run.Execute undoes
// the hooks and finishes.
//
// Hooks accompany an execution: files, host requests, secrets, egress, recorded answers. Add a
// subject as a file with a Hook, not as fields of Run.
//
// Session, script and host requests reach the network by the six methods of Network alone.
// liveNetwork is its form with hosts. Binding and end go by Hook, as for other subjects.
//
// # Binding
//
// An execution is bound when it runs, not when it was submitted. The profile is checked again, and
// the newest policy, the current values and a box are recorded before the script is sent. So
// removing a host or a value also affects the queue. The transaction that stores and claims an
// execution may bind it too: see Runner.BindWithClaim. A box that dies before its script was sent
// is replaced; a script is never sent twice.
//
// Everything that ends a script early (timeout, cancel, revocation, flood, shutdown) is a Stop. It
// cancels the script's context, so the first one counts.
//
// # What must be on the disk first
//
// The row of an execution, before the 202. The record of its start, before the script is sent: else
// the next server could run it again. Its end, before anybody learns of it. The row becomes
// terminal in one transaction with output, ledger and counters.
//
// # The end before the box is gone
//
// airlock-init reports the end of a script after every other process of the box has ended. So the
// kernel's counters are final, and a backend that is a plugins.Meter reads them then. If the script
// ended by itself, without a signal or a limit, its end is stored at once. The run slot stays taken
// until the box is gone. All other ends wait for the box.
//
// A script can't fake this: it has no access to PID 1's memory and descriptors. A PID 1 that lies
// gains a few seconds without stdio and without any way out.
//
// # After the script
//
// The run slot is free once script and box have ended. Masking output, searching files and storing
// the end take turns by profile: see lanes. Bytes and redactor passes bound this work, never time,
// so load doesn't change which files are withheld. A profile with eight unstored ends gets nothing
// more claimed. A cancel or a revocation after the script's end withholds unchecked files; output
// and result are still checked and stored. Once Airlock stops, ends without a turn within ten
// seconds are stored without their output.
//
// # Waiting for an answer
//
// While a question is open, the clock stops, the box is frozen and the run slot is given away. A
// box that can't be frozen keeps its slot and its clock: a script must not compute for free. A
// script has one open question at a time; its other threads wait. The script gets the exact answer,
// the record keeps the redacted one. A re-run gets recorded answers, each only to the same
// question, and records them as its own exchanges.
//
// # Decisions during a run
//
// Removals (a host; a credential's host, place, header or plain HTTP) apply to running executions
// at once. Additions are for later executions. An injected value can't be taken back.
//
// # Redaction
//
// One pass looks for the execution's own values and, once the script has tried to reach anything,
// for what its hosts may have shown of other credentials.
package runner
