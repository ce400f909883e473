// Package sandbox opens boxes: it proves the configured backends, chooses which are in use, and
// keeps boxes ready.
//
// # Backends
//
// A backend has to prove its controls by its Check before it is used. All that pass are in use, or
// with Auto the strongest. The first in use is the default, and only the pool of its default image
// keeps boxes ready: others would hold memory for executions that may never come. Place obeys a
// profile's placement or fails; there is no second best.
//
// A backend whose boxes no longer open is probed again at once. If it passes time and again without
// opening one, it has to rest. A backend without a valid proof is probed again at intervals; with
// Auto too, as long as it would be chosen over the one in use. Executions go on in the boxes that
// they have.
//
// # Boxes
//
// A class is a backend, an image, and whether its boxes are opened fresh; limits are the same for
// all. A box takes one script and is destroyed after it.
package sandbox
