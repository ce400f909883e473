// Package hints says what an agent does next: about a limit that its script met, an error that
// doesn't say so itself, and a host that was denied. It reads what a script claims, so the most that
// a script gains by a lie is one sentence in its own error.
package hints
