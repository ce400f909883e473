// Package runner takes one claimed execution to its verdict.
//
// # One execution
//
// A Run is a script in a session. The session is what anything in a box has: the box, values that
// are masked, one way out. The script has a clock, files, output and questions. Run.attempt is the
// state machine: bind, prepare the hooks, acquire a box, record the start, send the script, collect
// what came of it; then Run.Execute undoes the hooks and finishes.
//
// Hooks are the subjects that accompany an execution, each with its own state and what it needs of
// the Runner: files, host requests, secrets, egress, recorded answers. Add a subject as a file with a
// Hook, not as fields of Run.
//
// Scripts reach the network by four methods of egressHook (dial, unanswered, limited, noteAsked), and
// everybody else by three (restrict, ledger, network). A form that records or replays connections
// has these seven, Before and After; nothing else knows how a connection comes about. There is one
// form now, so there is no interface.
//
// # Binding
//
// An execution is bound when it runs, not when it was submitted: the profile is checked again, and
// the newest policy version, the current values and a box come together and are recorded before the
// script is sent. So a person who takes a host or a value away is obeyed by what still waits in the
// queue. The transaction that stores and claims an execution may bind it too: see
// Runner.BindWithClaim. A box that dies before its script was sent is replaced; a script is never
// sent twice.
//
// Everything that ends a script early (timeout, cancel, revocation, flood, shutdown) is a Stop, the
// cause with which its context is cancelled, so the first one counts.
//
// # What must be on the disk first
//
// The row of an execution, before the 202. The record of its start, before the script is sent: else
// the next server could take it for one that has done nothing. Its end, before anybody learns of
// it. The row becomes terminal in one transaction with output, ledger and counters.
//
// # The end before the box is gone
//
// When airlock-init reports the end of a script, it has waited for every other process of the box.
// So what the kernel has counted is final, and a backend that is a plugins.Meter reads it then. If
// the script ended by itself, without a signal and without a limit, nothing the box does can change
// the verdict, and the end is stored at once. The run slot stays taken until the box is gone. All
// other ends wait for the box.
//
// The script can't pretend: it would have to speak for PID 1, whose memory and descriptors are
// closed to it. A PID 1 that lies gains a few seconds without stdio and without any way out.
//
// # After the script
//
// The run slot is free once script and box have ended. What follows (masking output and result,
// searching files, storing the end) has places of its own, by turns of profiles: see lanes. Its work
// is bounded by the bytes that a script may leave and the redactor's passes over them, never by
// time, so what is withheld doesn't depend on load. A profile with eight ends that are not stored
// gets nothing more claimed. A cancel or a revocation after the script's end withholds files that
// were not checked yet; output and result are still checked and stored. Once Airlock stops, ends
// that have no turn within ten seconds are stored without their output.
//
// # Waiting for an answer
//
// While a question is open the run clock is held, the box is frozen and the run slot is given away.
// If a box can't be frozen it keeps its slot and its clock runs on: a script must not compute for
// free. A script has one open question at a time; others, from its threads, wait for their turn.
// The script gets the exact answer, the record keeps the redacted one. A re-run gets recorded
// answers, each only to the very question that it was given to; they become exchanges of the re-run,
// so that it can be repeated too.
//
// # Decisions during a run
//
// What a person takes away (a host; a credential's host, place, header or plain HTTP) is taken from
// running executions at once. What is added is for later executions. An injected value can't be
// taken back from a script that has it.
//
// # Redaction
//
// One pass looks for the execution's own values and, once the script has tried to reach anything,
// for what its hosts may have shown of other credentials.
package runner
