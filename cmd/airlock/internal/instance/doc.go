// Package instance opens a data directory with all that stands on it: store, keys, access, Vault,
// the way out of boxes.
package instance
