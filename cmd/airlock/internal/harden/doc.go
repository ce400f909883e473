// Package harden keeps this process's memory and privileges from others on the host.
package harden
