// Package vaulttest runs a real Vault server for tests: Vault's core and HTTP handler, in a program
// of its own (../testserver, a module of its own), with storage in memory.
//
// Building it takes minutes, so it is built once and kept in the user's cache directory under a
// name that its sources and their checksums decide; every package and every later run uses the same
// file. `go run ./app/secrets/vault/vaulttest/build` builds it before the tests, whose time limit
// it would take.
package vaulttest
