// Package metrics counts what the server does and shows it in the text format of Prometheus.
// docs/operations.md lists every metric; a test compares the two.
//
// Labels have few values, all of them ours: route templates, methods, status codes, states. Nothing
// that an agent, a script or a host can choose becomes one, so that nobody can make the server keep
// a million series, and nothing secret can be in one. There is no label for profiles either:
// anybody can make some.
package metrics
