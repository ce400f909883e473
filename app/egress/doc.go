// Package egress is the one way out of a box: allow-list, name and address rules, dialling, limits and the ledger.
//
// A box has no network. Every connection its script makes arrives here as a host name and a port, neither of them trusted, and
// passes these steps in this order; the first that fails refuses it:
//
//  1. The name takes its one canonical form (app.CanonicalName); anything odd is refused, not repaired.
//  2. An entry of the profile's allow-list must cover the name and the port. An empty list allows nothing.
//  3. The execution's limits: open connections, rate of new ones (which waits rather than refuses), bytes in all.
//  4. A pair of AIRLOCK_LOCAL_SERVICES replaces resolution; an IP address needs none; other names are resolved once.
//  5. Every address of the answer is checked. One bad address refuses the connection, so a mixed answer gains nothing.
//  6. The checked addresses are dialled, not the name. The socket's address is checked again just before it connects.
//
// Which addresses are refused (see classify): loopback, unspecified and this host's own interface addresses; link-local and the
// metadata services of the clouds; everything that the IANA registries call special, multicast, documentation and IPv4 hidden in
// IPv6 transition forms included. An entry with Private, which only a person sets, admits RFC 1918, unique local IPv6 and, because
// overlay networks such as tailnets live there, the shared space 100.64.0.0/10; it admits nothing else. NAT64's well-known prefix is judged by
// the IPv4 address inside and only a public one passes, so that hosts with IPv6 only can work.
//
// Three limits of this are known. An address that is routed to this host but sits on none of its interfaces looks like any other.
// A NAT64 prefix of the operator's own choosing can't be recognised. Labels under an allowed wildcard reach the DNS
// servers of that wildcard's owner, as fast as the connection rate admits.
//
// The ledger stays in memory, in a bounded number of rows in stable order: Session.Ledger is a snapshot at any time and final after
// Session.Close. A callback per finished connection would have needed a second bookkeeping for those that are open or counted together.
package egress
