//go:build race

package redact

// underRace: the race detector makes these texts ten times as dear to look at, and short ones are
// looked at by one goroutine. make test runs them all without it.
const underRace = true
