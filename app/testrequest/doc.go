// Package testrequest tests sealed credentials with a request before a script needs them.
//
// Go's HTTP client sends it with a placeholder, as a script would. It trusts only the instance's
// authority and connects through an egress session with one credential and one host. So a success
// proves the swap, the certificate and the answer, and a test reaches nothing that egress refuses.
// Only status and time leave this package, never the value or the answer.
//
// The placeholder is random, for one test; no script ever holds it.
package testrequest
