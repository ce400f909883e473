// Package testonly holds the Key to functions of the store for tests. Go lets only packages in
// store/ import it.
package testonly

// Key permits to open a database that a power cut can damage.
type Key struct{ _ struct{} }
