// Package testonly holds the key to what only tests may ask of the store.
// Go lets no package outside store/ import it, so no other code can make a Key.
package testonly

// Key permits to open a database that a power cut can damage.
type Key struct{ _ struct{} }
