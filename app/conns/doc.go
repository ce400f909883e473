// Package conns bounds a server's connections, in all and by address.
//
// Clients that send half a request or don't read take at most their address's share until deadlines
// end them.
package conns
