// Package retention removes executions that are older, or more, than an instance keeps, while it
// serves.
//
// A pass goes through the history in small transactions, each of about batchTime, and lets the
// database's other writers go first for as long as each took, so that the queue doesn't wait for
// it. What an execution was counted in (statistics, counters of use, heartbeats) stays as it is;
// the audit log is never touched, and gets one event for a pass that removed something. What was
// removed is noted in the transaction that removes it, so that a pass that was interrupted is not
// left out: the next one reports both.
//
// Values of credentials that were replaced, which are kept to be searched for, go with the same
// pass.
//
// Executions that have not ended always stay, as do those of the last hour, which their agents may
// not have read, those that answer an idempotency key, and those that are being run again.
package retention
