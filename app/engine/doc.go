// Package engine makes, starts and stops the parts that run executions. They are sandbox,
// scheduler, runner and executions.
//
// Drain waits for running executions. Close ends the rest as interrupted. After a crash, the next
// Start ends the executions that the dead process had claimed.
package engine
