// Package testrequest sends test requests with sealed credentials, so that a person sees whether one
// works before a script needs it.
//
// The request takes the way of a script's: Go's HTTP client holds a placeholder, trusts the
// instance's authority and nothing else, and connects through an egress session that grants one
// credential and one of its hosts. So a test that succeeds has shown the swap, the host's
// certificate and the host's answer, and a test can't reach anything that egress would refuse. What
// comes back is reduced to the status and the time: neither the value nor a byte of the answer
// leaves this package.
//
// The placeholder is random and made for one test; no script ever holds it.
package testrequest
