// Package fake is a sandbox for tests of what stands above sandboxes: the guest is a Go function in
// the test's own process.
//
// It isolates nothing. New wants a testing.TB, and there is no plugin that serves it, so a running
// Airlock can't select it.
package fake
