// Package resolver maps allowed names to loopback addresses and back. It asks nothing outside the
// box.
package resolver
