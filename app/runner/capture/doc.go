// Package capture keeps bounded script output: raw for the final redaction, redacted for the live
// view. An overwritten line keeps its last state.
package capture
