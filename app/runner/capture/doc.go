// Package capture keeps what a script prints: bounded, raw for the final redaction, and redacted as
// it comes for people who watch. A line that a progress bar overwrites is kept as it was last.
package capture
