// Package profiles keeps what an agent may have: a profile with its keys and hosts.
//
//   - A profile goes from unlocked to locked once. Keys change only before; hosts also after, as a new policy version.
//   - Agents create profiles, add and remove keys, and propose hosts. Everything else is CodeForbidden for them.
//   - A key has no value until a person links it, even if a credential of its name exists:
//     an agent learns nothing about the credentials.
//   - What an agent asks for (mode, hosts) is a request. A key's hosts only restrict its credential's.
//   - An agent's profile is unclaimed until a person first works on it. Unclaimed ones are few and short-lived.
//   - A denied connection becomes a request on the profile's page, bounded, and never more (see Hosts.Request).
//   - UpdatedAt moves with every change of what a profile's page shows: a person can only lock what they have seen.
//   - A revocation counts at once. It can be undone for ten minutes if nothing else changed; the
//     database checks that too.
package profiles
