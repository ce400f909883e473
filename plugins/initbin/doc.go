// Package initbin carries airlock-init, the static program that is PID 1 of every box, inside
// whatever links it.
package initbin
