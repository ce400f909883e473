// Package code shows source text: numbered lines, coloured Python, and two texts side by side.
package code
