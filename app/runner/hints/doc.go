// Package hints tells an agent its next step after a limit, an unclear error or a denied host.
//
// It reads a script's claims. A lie gains the script one sentence in its own error.
package hints
