// Package guest is the engine's side of a session with a box. It boots the guest, sends the one
// script, relays its traffic, and returns the box's report.
//
// A session uses only the box's stdin and stdout (package wire). Its life is Open, at most one Run,
// Close.
//
// Everything from the box is hostile. The multiplexer's frames are checked before the multiplexer
// sees them. Messages are decoded strictly and accepted only in the right state. Every amount is
// capped: output bytes, result size and depth, questions, connections at once and in total. A guest
// that breaks a rule ends the session with a *ProtocolError. Its statements about itself (exit
// code, failure, result, the line that asked for a host) are claims, passed on as such.
//
// The package also carries the Python runner and airlock.pyi, the description of the scripts' API.
package guest
