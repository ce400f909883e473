// Package access is the desk where people and agents arrange who may have what: credentials, profiles, keys, hosts, policies,
// admin sessions and the audit log. The web API, the admin UI and `airlock admin` all go through it, so each rule stands once:
// checked, sealed, stored and audited in one transaction.
//
// It stands beside app/engine because the rules of profiles and credentials are needed by three callers and belong to none of them.
//
// # Rules
//
//   - A profile goes from unlocked to locked once. Keys change only before; hosts also after, as a new policy version.
//   - Agents create profiles, add and remove keys, and propose hosts. Everything else is a person's, airlock admin's, or Airlock's own:
//     for an agent's app.Actor it is CodeForbidden, whoever called.
//   - A key has no value until a person links it, even if a credential of its name exists. So an agent learns nothing about the store.
//   - What an agent asks for (mode, hosts) is a request. A key's hosts only ever narrow its credential's.
//   - An agent's profile is unclaimed until a person first works on it. Unclaimed ones are few (quota) and short-lived.
//   - A credential's value is rotated at any time; every profile sees the new one from its next execution on. The value before it is erased.
//   - UpdatedAt of a profile moves with every change of what its page shows, so a person can only lock what they have seen.
//
// After each commit the hub is told what changed.
//
// # Admin token
//
// The admin token is kept as an argon2id hash. Wrong tokens are counted per address (an IPv6 address stands for its /64) and over all,
// and audited; sessions are random tokens of which the SHA-256 is kept. They end 12 hours after the last use, 7 days after login, or when the token is replaced.
package access
