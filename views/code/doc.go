// Package code shows source text: numbered lines, coloured Python and diffs.
package code
