// Package template puts boxes that airlock-init serves from outside, with a PID 1 that was forked,
// through the suite of backends.
package template
