// Package vaulttest runs a real Vault server for tests, with storage in memory.
//
// The server (../testserver) takes minutes to build, so the user's cache directory keeps it, named
// by a digest of its sources. Build it before tests with `go run
// ./app/secrets/vault/vaulttest/build`, to spare their time limit.
package vaulttest
