// Package engine makes the parts that run executions, and starts and stops them together: sandbox,
// scheduler, runner and executions.
//
// Drain waits for running executions. Close ends the rest as interrupted. After a crash, the next
// Start ends the executions that the dead process had claimed.
package engine
