// Package sandboxtest is the conformance suite of sandbox backends. A backend passes it through a
// real plugin process and a real gRPC connection, so its tests also test the wire.
//
// In a backend's test package:
//
//	func TestMain(m *testing.M) { sandboxtest.Main(m, "NAME", newBackend) }
//
//	func TestConformance(t *testing.T) {
//		sandboxtest.Run(t, sandboxtest.Plugin("NAME", settings),
//			sandboxtest.Options{Name: "NAME", Leftovers: leftovers})
//	}
//
// Boxes run a small test guest (testguest) instead of airlock-init, told what to do by the first
// line of its stdin. Every case ends with the same after-conditions: no process, descriptor, mount,
// file or label of the box is left.
//
// `make test` opens fewer boxes in some cases than SANDBOX_SUITE=all, which CI sets.
//
// A new hostile script is one file in scripts and one row in hostile.go. It prints a line per way
// out that it found, and nothing if everything held.
package sandboxtest
