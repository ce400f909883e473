// Package executions submits, cancels, answers, re-runs and reads executions, for agents and people.
//
//   - Submitter stores a new execution, and passes it to the scheduler.
//   - Controller cancels and answers executions, and ends those of dead processes.
//   - Reader reads executions and waits for them.
//   - Statistics counts them.
//
// Submit validates, checks the profile, redacts the script for people, and seals script and inputs.
// Reads come from the store, a cache of ended executions, or the runner.Run of a local one.
package executions
