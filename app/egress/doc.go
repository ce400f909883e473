// Package egress is the one way out of a box: allow-list, name and address rules, dialling, limits
// and the ledger.
//
// A box has no network. Every connection its script makes arrives here as a host name and a port,
// neither of them trusted, and passes these steps in this order; the first that fails refuses it:
//
//  1. The name takes its one canonical form (app.CanonicalName). Anything odd is refused, not
//     repaired.
//  2. An entry of the profile's allow-list must cover the name and the port; an empty list allows
//     nothing. A wildcard's star stands for short names only, and for few of them, because they
//     reach the name servers of the wildcard's owner.
//  3. The execution's limits: open connections, bytes in all, and the rate of new connections,
//     which wait rather than fail.
//  4. A pair of AIRLOCK_LOCAL_SERVICES replaces resolution. An IP address needs none. Other names
//     are resolved once.
//  5. Every address of the answer is checked. One bad address refuses the connection, so a mixed
//     answer gains nothing.
//  6. The checked addresses are dialled, not the name. The socket's address is checked again just
//     before it connects.
//  7. What the box then sends is judged by the entry's protocol, or else by the port (see
//     handlingOf).
//
// # What is looked at
//
// Relayed, whatever it is: protocols tcp and postgres, and ports other than 443 and 80 without a
// protocol. The ledger says NotChecked of these.
//
// Relayed, TLS: the first bytes must be a TLS hello whose server name is the host; only an address
// may go without one. An encrypted hello (ECH) is refused, because its outer name need not be the
// one that the host answers for. Until the hello is whole nothing passes in either direction, so a
// protocol in which the server speaks first ends after Limits.Head. What is said inside TLS is the
// script's and the host's business: a Host header for another tenant of the same host can't be seen
// there.
//
// Read: plain HTTP, and every host that a sealed credential belongs to, be it of this execution or
// one that it knows nothing of (Config.Known). There the box speaks to a server of ours, inside TLS
// under a certificate for the host that policy allowed, and the server speaks to the host over TLS
// of its own, 1.2 or newer, verified. Both sides are HTTP/1.1, kept alive and streaming. Later
// connections to the host pass steps 2 to 6 again. Nothing is forwarded of a request that package
// head refuses, whose Host is another, or in which a placeholder stands where it may not; such a
// request is answered with a status, a JSON error and the header X-Airlock, which names the rule,
// and after a malformed one the connection ends. Where a sealed credential belongs, values that
// come back are replaced by placeholders again, Accept-Encoding is identity, and Range is dropped,
// since an answer cut at chosen places could carry a value in pieces; answers say Accept-Ranges:
// none.
//
// Known and meant: targets with a scheme are refused even for the same host; names of header fields
// take Go's spelling and order; trailers that were not announced or that frame, route or prove, 1xx
// answers other than our own 100, Alt-Svc and hop-by-hop fields don't pass; an offer of h2c is
// dropped; WebSocket, CONNECT and TRACE are refused. A box that is frozen
// in the middle of a head may find it timed out. An answer that breaks off resets the box's
// connection: it never looks complete.
//
// # What it costs
//
// A connection that is relayed holds no buffers here. One that is read holds at most about 0.75 MiB
// (two directions of 128 KiB, four buffers of 64 KiB, TLS records), so 64 of them 48 MiB, plus what
// package swap holds of bodies in which it may replace placeholders: at most swap.MaxHolds at a
// time of twice app.MaxSwappedBody, 16 MiB per execution. Bodies of any size pass in constant
// memory. docs/performance.md has the times.
//
// # Addresses
//
// Which addresses are refused (see rules.Classify): loopback, unspecified and this host's own interface
// addresses; link-local and the metadata services of the clouds; everything that the IANA
// registries call special, multicast, documentation and IPv4 hidden in IPv6 transition forms
// included. An entry with Private, which only a person sets, admits RFC 1918, unique local IPv6
// and, because overlay networks such as tailnets live there, the shared space 100.64.0.0/10; it
// admits nothing else. NAT64's well-known prefix is judged by the IPv4 address inside and only a
// public one passes, so that hosts with IPv6 only can work.
//
// Three limits of this are known. An address that is routed to this host but sits on none of its
// interfaces looks like any other. A NAT64 prefix of the operator's own choosing can't be
// recognised. Labels under an allowed wildcard reach the DNS servers of that wildcard's owner: at
// most Limits.Names of them, of 80 bytes each.
//
// # The ledger
//
// It has a row per request that was read, and a row per connection that was relayed or came to no
// request. It stays in memory, in a bounded number of rows in stable order: Session.Ledger is a
// snapshot at any time and final after Session.Close. A callback per finished connection would have
// needed a second bookkeeping for those that are open or counted together.
package egress
