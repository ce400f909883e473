// Package rekey seals everything in the store anew after the instance key was replaced: with the
// keyring's present key, in short transactions, while the server runs. What was sealed anew already
// is left alone, so an interrupted run is simply run again. Every token is opened before it is
// replaced, and replaced only if it is still the same, so nothing can get lost to a write at the
// same moment.
package rekey
