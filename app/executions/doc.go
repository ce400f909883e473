// Package executions submits, cancels, answers, re-runs and reads executions, for agents and people.
//
//   - Submitter stores a new execution, and passes it to the scheduler.
//   - Controller cancels and answers executions, and ends those that a dead process left.
//   - Reader reads executions and waits for them.
//   - Statistics counts them.
//
// Submit validates the submission, checks the profile, redacts the script as people may see it, and
// seals script and inputs. scheduler.Submit stores the row, and may claim it at once.
//
// Reads come from the store, and for an execution that runs here from its runner.Run. Executions
// that have ended are cached, since an agent asks for one several times.
package executions
