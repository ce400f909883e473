// Package fake is a sandbox for tests of the code above sandboxes. The guest is a Go function in
// the test's process.
//
// It isolates nothing. New wants a testing.TB and no plugin serves it, so a running Airlock can't
// select it.
package fake
