// Package resolver answers for the names that a script may use, each with a loopback address of its
// own, and finds the name behind an address. Nothing is ever asked outside the box.
package resolver
