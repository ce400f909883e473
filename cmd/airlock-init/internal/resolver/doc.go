// Package resolver gives each name that a script may use a loopback address. It finds the name
// behind an address. Nothing is ever asked outside the box.
package resolver
