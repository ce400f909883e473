// Package guest is the engine's side of a session with a box: it boots the guest, hands over the
// one script, passes on what comes back, and ends with what the box says happened.
//
// A session stands on nothing but the box's stdin and stdout (package wire). It has one life: Open,
// at most one Run, Close.
//
// Everything that arrives is hostile. The multiplexer's frames are checked before the multiplexer
// sees them, messages are decoded strictly and accepted only in the state in which a guest would
// send them, and every amount is capped: output bytes, result size and depth, questions,
// connections at once and in total. A guest that breaks a rule ends the session with a
// *ProtocolError. What the guest says about itself (exit code, failure, result, which line asked
// for a host) is a claim, passed on as such.
//
// The package also carries the Python runner and airlock.pyi, the description of what scripts can
// call.
package guest
