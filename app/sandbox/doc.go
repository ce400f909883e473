// Package sandbox proves the configured backends, chooses those in use, and keeps boxes ready.
//
// # Backends
//
// A backend must pass its Check before use. All that pass are in use, or with Auto the strongest.
// The first in use is the default; only its default image keeps boxes ready. Place obeys a
// profile's placement or fails.
//
// A backend whose boxes no longer open is probed again at once. If it keeps passing without opening
// one, it has to rest. A backend without a valid proof is probed at intervals; with Auto only while
// it would be chosen over the one in use. Executions go on in their boxes.
//
// # Boxes
//
// A class is a backend, an image, and whether boxes are opened fresh. Limits are the same for all.
// A box takes one script and is destroyed after it.
package sandbox
