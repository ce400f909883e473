// Package profiles keeps profiles with their keys and hosts: what an agent may have.
//
//   - A profile is locked once, for good. Keys change only before; hosts also after, as a new policy
//     version.
//   - Agents create profiles, add and remove keys, and propose hosts. The rest is CodeForbidden.
//   - A key has no value until a person links it, so an agent learns nothing about credentials.
//   - An agent's modes and hosts are requests. A key's hosts only restrict its credential's.
//   - An agent's profile is unclaimed until a person works on it. Unclaimed ones are few and
//     short-lived.
//   - A denied connection only becomes a bounded request on the profile's page (see Hosts.Request).
//   - UpdatedAt moves with every change of the page: a person can only lock what they have seen.
//   - A revocation counts at once. It can be undone for ten minutes if nothing else changed; the
//     database checks that too.
package profiles
