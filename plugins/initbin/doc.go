// Package initbin carries airlock-init, the static PID 1 of every box, inside the program.
package initbin
