// Package app defines Airlock's entities, rules and errors.
//
// It imports the standard library only; every other package may import it.
package app
