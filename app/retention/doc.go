// Package retention removes executions beyond an instance's limits of age and number, while it
// serves.
//
// A pass runs in small transactions of about batchTime each. After each it gives other writers as
// much time, so the queue doesn't wait for it. Statistics, counters of use and heartbeats stay
// unchanged. The audit log is never shortened, and gets one event per pass with removals. Each
// transaction notes its removals, so the pass after an interrupted one reports both.
//
// The same pass removes replaced credential values, which are kept for searching.
//
// Some executions always stay: unfinished ones, those of the last hour, whose agents may not have
// read them, those that answer an idempotency key, and those that are being run again.
package retention
