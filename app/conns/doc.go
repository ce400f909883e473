// Package conns bounds what the connections of a server take together: how many are open, and how
// much memory they hold while they wait for their other end. Anybody can open one and send a
// request half, or never read an answer, without any id.
//
// A connection waits for its other end until it has sent a whole request, and while an answer to it
// isn't taken; while the server works, or waits for something to happen, it doesn't. Who waits
// gives way when room is needed: of the address that has most, the connection that has waited
// longest. So strangers displace themselves, and whoever sends a request and reads the answer
// without long pauses never notices.
//
// An address gets more as long as more is free than it has, so that one alone has half. Proxies
// that the operator trusts have no share: everybody comes through them.
package conns
