// Package rekey seals everything in the store anew after the instance key was replaced. It uses the
// keyring's present key and short transactions. It skips tokens under that key, so an interrupted
// run is simply repeated. It opens every token before replacing it.
package rekey
