// Package plugins is the contract between Airlock and whatever runs its boxes.
//
// A backend is small on purpose: a box is a process that can be talked to through its stdin and
// stdout and in no other way. Settings, printed output, LLM questions, results and every allowed
// connection travel over that one pipe (package wire gives the shapes), so a backend decides
// nothing about policy and sees nothing but bytes.
//
// Sandbox is the contract in Go, package proto its form on the wire. Serve is the plugin's side,
// Open the host's: it starts a plugin as a process of its own, talks gRPC with it over a Unix
// socket with mutual TLS, and starts it again when it has died. A plugin gets no environment but
// go-plugin's own handshake; it holds one end of a pipe whose other end is the host's, so that it
// ends, with its boxes, when the host does.
//
// The package imports none of Airlock's other packages, so that an operator can build a backend
// against it alone.
package plugins
