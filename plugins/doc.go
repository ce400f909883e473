// Package plugins is the contract between Airlock and the backends that run its boxes.
//
// A box is a process that can be reached through its stdin and stdout only. Settings, printed
// output, LLM questions, results and every allowed connection travel over that pipe (package wire
// defines the shapes). A backend decides no policy and sees only bytes.
//
// Sandbox is the contract in Go, package proto its form on the wire. Serve is the plugin's side,
// Open the host's. Open starts a plugin as a process of its own, talks gRPC with it over a Unix
// socket with mutual TLS, and restarts it after a crash. A plugin's environment is go-plugin's
// handshake only. A pipe ties it to the host: it ends with its boxes when the host does.
//
// The package imports none of Airlock's other packages, so an operator can build a backend against
// it alone.
package plugins
