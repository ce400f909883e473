// Package conns bounds the connections of a server: all together, and those of one address.
//
// Anybody can open a connection and send half a request, or never read the answer. The server's
// deadlines end such connections. Until then they take at most the part of their address.
package conns
