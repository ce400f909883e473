// Package engine composes what runs executions: sandbox, scheduler, runner and executions. It only
// wires them up, and starts and stops them together.
//
// Drain lets what runs come to its end. Close ends the rest as interrupted. After a crash the next
// Start gives an end to what the dead process had claimed.
package engine
