// Package strain has the script with which backends prove that their limits on processor and memory hold.
package strain

import _ "embed"

// Script uses up the processor for a moment, prints the share of a core that it got, waits for a line and then takes memory until its box is killed.
//
//go:embed strain.py
var Script string
