// Package engine claims executions from the store, owns the pool of boxes, and drives each session from start to verdict.
//
// The executions table is the queue: Submit writes a pending row, one dispatcher claims the oldest one as soon as a run slot is free, and
// nothing about a waiting execution is kept anywhere else. What runs is known in memory, by handle, from its claim until its row is terminal.
//
// # One execution
//
// An execution is bound when it is dispatched, not when it was submitted: the profile is checked again, and the newest policy version, the
// current values and a box come together at that moment and are recorded before the script is sent. So a person who takes a host or a value away
// is obeyed by what still waits in the queue. A box that dies before its script was sent is replaced; a script is never sent twice.
//
// Everything that ends an execution early (timeout, cancel, revocation, flood, shutdown) is the cause with which its context is cancelled, so
// the first one counts. The row becomes terminal after the backend has said that nothing of the box is left, in one transaction with output,
// ledger and counters.
//
// # Waiting for the LLM
//
// While a question is open the run clock is held, the box is frozen and the run slot is given away; a separate cap bounds how many wait. If a box
// can't be frozen it keeps its slot and its clock runs on: a script must not compute for free. A script has one open question at a time;
// further ones, from other threads, wait for their turn. The script gets the exact answer, the record keeps the redacted one.
//
// # Sealed credentials
//
// Egress doesn't put sealed values into requests yet. Until it does, an execution with a sealed key ends before it starts: the only
// alternative would be to hand the value to the script, which its owner has ruled out.
package engine
