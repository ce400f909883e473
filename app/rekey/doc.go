// Package rekey seals everything in the store anew after the instance key was replaced. It uses the
// keyring's present key and short transactions, while the server runs. It skips tokens under that
// key, so an interrupted run is simply repeated. It opens every token before replacing it, and
// replaces only an unchanged one, so no concurrent write is lost.
package rekey
