// Package egress is the one way out of a box: allow-list, addresses, dialling, limits and the
// ledger.
//
// A box has no network. Its connections arrive here as an untrusted host name and port. They pass
// these steps in order; the first failure refuses:
//
//  1. The name must have a canonical form (app.CanonicalName). Odd names are refused, not repaired.
//  2. An allow-list entry must cover name and port; an empty list allows nothing. Stars of
//     wildcards are few and short, because they reach the owner's name servers.
//  3. The execution's limits: open connections, bytes in all, and the rate of new connections,
//     which wait.
//  4. A pair of AIRLOCK_LOCAL_SERVICES replaces resolution. An IP address needs none. Other names
//     are resolved once.
//  5. Every resolved address is checked. One bad address refuses the connection.
//  6. The checked addresses are dialled. The socket's address is checked again just before it
//     connects.
//  7. The entry's protocol, or else the port, decides how the bytes are judged (see handlingOf).
//
// # Inspection
//
// Relayed unread: protocols tcp and postgres, and ports other than 443 and 80 without a protocol.
// The ledger says NotChecked.
//
// Relayed TLS: the first bytes must be a TLS hello with the host as server name; only an address
// may go without. An encrypted hello (ECH) is refused: its outer name need not be the real one.
// Nothing passes either way before the hello is whole, so a protocol in which the server speaks
// first ends after Limits.Head. A Host header inside TLS for another tenant of the host can't be
// seen.
//
// Read: plain HTTP, and every host of a sealed credential, of this execution or another
// (Config.Known). The box speaks to our server, which has a certificate for the allowed host. The
// server speaks verified TLS 1.2 or newer to the host. Both sides are HTTP/1.1, kept alive and
// streaming. Later connections to the host pass steps 2 to 6 again.
//
// Refused requests: those that package head refuses, with another Host, or with a placeholder where
// it may not stand. They get a status, a JSON error and the rule in X-Airlock. After a malformed
// one the connection ends. Where a sealed credential belongs, values in answers become placeholders
// again. Accept-Encoding is identity there. Range is dropped, since a partial answer could carry a
// value in pieces; answers say Accept-Ranges: none.
//
// Intended: targets with a scheme are refused even for the same host. Header names take Go's
// spelling and order. These don't pass: trailers of requests, and those of answers that were not
// announced or that frame, 1xx answers other than our own 100, Alt-Svc, hop-by-hop fields. An offer
// of h2c is dropped. WebSocket, CONNECT and TRACE are refused. A box frozen inside a head may find
// it timed out. A broken answer resets the box's connection: it never looks complete.
//
// # Cost
//
// A relayed connection holds no buffers here. One that is read holds at most about 0.75 MiB, so 64
// of them 48 MiB. Package swap holds at most swap.MaxHolds bodies of twice app.MaxSwappedBody
// besides, 16 MiB per execution. Bodies of any size pass in constant memory.
//
// # Addresses
//
// Refused (see rules.Classify): loopback, unspecified and this host's own addresses; link-local and
// the clouds' metadata services; all special ranges of the IANA registries, with multicast,
// documentation and IPv4 in IPv6 transition forms. An entry with Private, which only a person sets,
// admits only RFC 1918, unique local IPv6 and the shared space 100.64.0.0/10 of overlay networks.
// NAT64's well-known prefix is judged by the IPv4 address inside, which must be public.
//
// Known limits: an address that is routed to this host but on none of its interfaces looks like any
// other. An operator's own NAT64 prefix can't be recognised. Labels under an allowed wildcard reach
// its owner's DNS servers: at most Limits.Names of 80 bytes each.
//
// # The ledger
//
// It has a row per read request, and a row per other connection. It is in memory, bounded, and in
// stable order. Session.Ledger is a snapshot at any time, and final after Session.Close.
package egress
